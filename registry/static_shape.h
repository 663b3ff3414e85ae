#ifndef MODELPORT_REGISTRY_STATIC_SHAPE_H_
#define MODELPORT_REGISTRY_STATIC_SHAPE_H_

#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/entry_point.h"
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

// States in `entry_points`, those of such an artifact, the numbers of `size` in the place of the names that the shapes
// of images have for height and width: [B, 3, 518, 924] for [B, 3, H, W]. No size is recommended.
//   InvalidArgument  a shape that cannot have these numbers
absl::Status StateStaticShape(const ImageSize& size, std::vector<EntryPoint>& entry_points);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_STATIC_SHAPE_H_
