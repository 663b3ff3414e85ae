#include "registry/recognise/known_layout.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/keymap/key_map.h"
#include "common/text/nearest.h"

namespace modelport {

absl::Status CheckKnownLayout(const Registry& registry, absl::string_view flag, const std::string& layout) {
  std::set<std::string> names = {"auto"};
  for (const CatalogEntry& entry : registry.catalog()) {
    const KeyMap& key_map = entry.plugin->key_map;
    for (const Layout& known : key_map.layouts) names.insert(known.name);
    for (const KeyMapPart& part : key_map.parts) {
      for (const Layout& known : part.key_map.layouts) names.insert(known.name);
    }
  }
  if (names.count(layout) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", layout, ": no family has this layout",
                   NearestHint(layout, std::vector<std::string>(names.begin(), names.end()))));
}

}  // namespace modelport
