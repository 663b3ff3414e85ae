#ifndef MODELPORT_REGISTRY_CHECK_PLUGIN_H_
#define MODELPORT_REGISTRY_CHECK_PLUGIN_H_

#include "absl/status/status.h"
#include "registry/plugin.h"

namespace modelport {

// Makes sure that each variant of `plugin`, which is linked, can be made: builds its tree and those of its wrappers,
// which checks their shapes, and finds its files, examples and preprocessing; and that each rule of the key map is for
// some variant. It takes about 1 ms a variant.
//   InvalidArgument  lists every problem
absl::Status CheckPlugin(const Plugin& plugin);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_CHECK_PLUGIN_H_
