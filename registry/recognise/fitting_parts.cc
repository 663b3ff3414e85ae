#include "registry/recognise/fitting_parts.h"

#include <map>

#include "absl/status/statusor.h"
#include "common/keymap/key_mapper.h"
#include "common/module_tree/module_tree.h"
#include "registry/weight_parts.h"

namespace modelport {

std::vector<FittingPart> FindFittingParts(const Registry& registry, const Checkpoint& checkpoint,
                                          const SourceChoice& choice) {
  std::vector<FittingPart> fitting;
  std::map<const KeyMap*, absl::StatusOr<KeyMapper>> mappers;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (entry.variant->files.size() == 1) continue;
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
    if (!tree.ok()) continue;  // The registry admits no variant whose tree cannot be built.
    const absl::StatusOr<std::vector<WeightPart>> parts = SplitWeights(*entry.plugin, *entry.variant, *tree);
    for (size_t i = 0; parts.ok() && i < parts->size(); ++i) {
      const WeightPart& part = (*parts)[i];
      auto mapper = mappers.find(part.key_map);
      if (mapper == mappers.end()) {
        mapper = mappers.emplace(part.key_map, KeyMapper::Make(checkpoint, *part.key_map, choice)).first;
      }
      if (!mapper->second.ok() || !mapper->second->Fits(part.tree)) continue;
      fitting.push_back({entry, part.file->part, part.Title(*entry.variant)});
    }
  }
  return fitting;
}

std::vector<std::string> TitlesOf(const std::vector<FittingPart>& parts) {
  std::vector<std::string> titles;
  for (const FittingPart& part : parts) titles.push_back(part.title);
  return titles;
}

}  // namespace modelport
