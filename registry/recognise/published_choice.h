// Which of several models with the same keys and shapes a file is of.
#ifndef MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_CHOICE_H_
#define MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_CHOICE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "registry/plugin.h"
#include "registry/recognise/assign_files.h"
#include "registry/registry.h"

namespace modelport {

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

#endif  // MODELPORT_REGISTRY_RECOGNISE_PUBLISHED_CHOICE_H_
