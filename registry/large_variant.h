#ifndef MODELPORT_REGISTRY_LARGE_VARIANT_H_
#define MODELPORT_REGISTRY_LARGE_VARIANT_H_

#include "common/module_tree/module_tree.h"

namespace modelport {

// Whether the artifact of `tree` has more than 500 MB of weights. The BUILD file of its plugin lists such variants as
// large: caches do not store their artifacts, and //models:catalog leaves them out.
bool IsLarge(const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_LARGE_VARIANT_H_
