#ifndef MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_
#define MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "registry/plugin.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/map_weights.h"
#include "registry/registry.h"

namespace modelport {

// Whether a checkpoint is the published file `file`: "yes", "yes, by the first 8 digits of its sha256" if the plugin
// states no more of them, "no", or "" if it states none. `source` is "sha256:HEX" of the checkpoint, as in a manifest.
std::string IsPublished(const PublishedFile& file, absl::string_view source);

// Makes sure that no checkpoint of `parts`, those of `entry`, is the published file of another model in its place, or
// has the name of the published file of another variant of its family. Their `sources` are as above, in the same order.
// Keys and shapes cannot tell a relative model from a metric one.
//   FailedPrecondition  one is; the message names the models whose file it is
absl::Status CheckPublishedFiles(const Registry& registry, const CatalogEntry& entry,
                                 const std::vector<MappedPart>& parts, const std::vector<std::string>& sources);

// Whether the plugin states the beginning of this sha256, "sha256:HEX", of `file`.
bool HasDigest(const PublishedFile& file, absl::string_view source);

// The one of `entries` that publishes the most of `files` under the names that they have; nullopt if there is none, or
// more than one. Where a published file has a folder in front of its name, so must the path.
absl::optional<CatalogEntry> ChooseByName(const std::vector<CatalogEntry>& entries,
                                          const std::vector<std::string>& files);

// A model, and what told it.
struct PublishedChoice {
  CatalogEntry entry;
  bool by_digest;  // Or else by the names of the files.
};

// The one of `entries` that publishes the checkpoints `given`: by their sha256 or, where that tells nothing, by their
// names. Reads the whole files if a plugin states a sha256 of one of the models. nullopt if neither tells.
absl::optional<PublishedChoice> ChooseByPublishedFiles(const std::vector<CatalogEntry>& entries,
                                                       const std::vector<GivenCheckpoint>& given);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_FILE_H_
