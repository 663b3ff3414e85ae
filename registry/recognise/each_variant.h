#ifndef MODELPORT_REGISTRY_RECOGNISE_EACH_VARIANT_H_
#define MODELPORT_REGISTRY_RECOGNISE_EACH_VARIANT_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "registry/registry.h"

namespace modelport {

// Calls visit(reader, entry, tree) for each variant of the catalog, in its order. `reader` is
// Reader::Make(checkpoint, key_map, choice) of the variant's plugin; it is made once for a plugin and lives until the
// next plugin's is made. Skips plugins of which Make fails, such as those that do not have the layout of `choice`.
template <typename Reader, typename Visit>
void ForEachVariant(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice, Visit&& visit) {
  const Plugin* plugin = nullptr;
  absl::optional<Reader> reader;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (entry.plugin != plugin) {
      plugin = entry.plugin;
      reader.reset();
      if (auto made = Reader::Make(checkpoint, plugin->key_map, choice); made.ok()) reader = *std::move(made);
    }
    if (!reader) continue;
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(plugin->library, entry.variant->module);
    if (tree.ok()) visit(*reader, entry, *tree);  // The registry admits no variant whose tree cannot be built.
  }
}

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_EACH_VARIANT_H_
