#ifndef MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_
#define MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "registry/plugin.h"
#include "registry/recognise/map_weights.h"
#include "registry/registry.h"

namespace modelport {

// Whether a checkpoint is the published file `file`: "yes", "yes, by the first 8 digits of its sha256" if the plugin
// states no more of them, "no", or "" if it states none. `source` is "sha256:HEX" of the checkpoint, as in a manifest.
std::string IsPublished(const PublishedFile& file, absl::string_view source);

// Makes sure that no checkpoint of `parts`, those of `entry`, is the published file of another model in its place, or
// has the name of a file that its plugin lists as a lookalike. Their `sources` are as above, in the same order. Keys
// and shapes cannot tell a relative model from a metric one.
//   FailedPrecondition  one is; the message names the models whose file it is
absl::Status CheckPublishedFiles(const Registry& registry, const CatalogEntry& entry,
                                 const std::vector<MappedPart>& parts, const std::vector<std::string>& sources);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_
