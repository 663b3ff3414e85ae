#include "common/keymap/published_keys.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/tensor/dtype.h"

namespace modelport {

std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree) {
  const Layout* original = key_map.Find("original");
  const Layout plain;
  const Layout& layout = original == nullptr ? plain : *original;
  std::vector<SeededKey> keys;
  for (const Slot& slot : tree.slots) {
    const std::string key = layout.OwnKey(slot.name);
    if (layout.StoredKey(slot.name) != key) continue;
    keys.push_back({absl::StrCat(layout.prefix, key), slot.shape, slot.dtype.value_or(DType::kFloat32)});
  }
  return keys;
}

}  // namespace modelport
