#ifndef MODELPORT_COMMON_KEYMAP_PUBLISHED_KEYS_H_
#define MODELPORT_COMMON_KEYMAP_PUBLISHED_KEYS_H_

#include <vector>

#include "common/checkpoint/seeded.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The keys, shapes and dtypes that the published file of the `original` layout holds for `tree`: those that seeded
// weights fill.
std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PUBLISHED_KEYS_H_
