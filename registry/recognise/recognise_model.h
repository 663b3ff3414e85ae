#ifndef MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_
#define MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "registry/recognise/assign_files.h"
#include "registry/registry.h"

namespace modelport {

// The variants whose parts the checkpoints `given`, two or more, fill, one each.
std::vector<CatalogEntry> FindVariantsOfFiles(const Registry& registry, const std::vector<GivenCheckpoint>& given);

// Finds the one variant that the checkpoints `given` fit, by their keys and shapes and by a config.json beside them.
//   FailedPrecondition  they fit none, only a part of one, or several; the message says which, and asks for --model
absl::StatusOr<CatalogEntry> RecogniseModel(const Registry& registry, const std::vector<GivenCheckpoint>& given);

// FailedPrecondition: `checkpoint` fits no variant in what `choice` admits; names the nearest.
absl::Status FitsNoModel(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_
