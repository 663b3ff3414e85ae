#ifndef MODELPORT_REGISTRY_RECOGNISE_FIND_CHECKPOINT_H_
#define MODELPORT_REGISTRY_RECOGNISE_FIND_CHECKPOINT_H_

#include <string>
#include <vector>

#include "registry/plugin.h"

namespace modelport {

// The names under which the file, or others with its weights, are published, its own first; none if it has no name.
std::vector<std::string> NamesOf(const PublishedFile& file);

// Where a published file may lie on this machine, best first: the folder `here`, the folder `plugin` of the model's
// YAML, then the snapshots of its repository in the Hugging Face cache ($HF_HUB_CACHE, else $HF_HOME/hub, else
// ~/.cache/huggingface/hub), the one that refs/main names first.
std::vector<std::string> CheckpointPlaces(const PublishedFile& file, const std::string& here,
                                          const std::string& plugin);

// The places for a message that a user can fill, all but `plugin`: "*" stands for the snapshots, even if there are
// none.
std::vector<std::string> SearchedPlaces(const PublishedFile& file, const std::string& here);

// The first of CheckpointPlaces that exists, or "".
std::string FindCheckpoint(const PublishedFile& file, const std::string& here, const std::string& plugin);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_FIND_CHECKPOINT_H_
