#include "artifact/export/name_of_artifact.h"

#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "registry/find_wrapper.h"

namespace modelport {

absl::StatusOr<std::string> NameOfArtifact(const CatalogEntry& entry, const ExportOptions& options) {
  ASSIGN_OR_RETURN(const ChosenWrapper chosen, FindWrapper(*entry.plugin, *entry.variant, *options.target,
                                                           options.with_preprocess, options.wrapper));
  return ArtifactName(entry.variant->name, chosen.name);
}

}  // namespace modelport
