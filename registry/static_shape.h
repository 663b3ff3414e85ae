#ifndef MODELPORT_REGISTRY_STATIC_SHAPE_H_
#define MODELPORT_REGISTRY_STATIC_SHAPE_H_

#include "absl/status/status.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/image_size.h"
#include "registry/plugin.h"
#include "targets/target.h"

namespace modelport {

// Makes sure that an artifact of `model`, the tree of one of the plugin's variants, can be one for images of `size`
// only.
//   InvalidArgument  `target` or `with_preprocess` wants images of any size, and so does a model that resizes them
//                    itself; the size is not one that the model takes; nothing depends on the size alone
absl::Status CheckStaticShape(const ImageSize& size, const Plugin& plugin, const ModuleTree& model,
                              const Target& target, bool with_preprocess);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_STATIC_SHAPE_H_
