#ifndef MODELPORT_REGISTRY_RECOGNISE_ASSIGN_FILES_H_
#define MODELPORT_REGISTRY_RECOGNISE_ASSIGN_FILES_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"

namespace modelport {

// An open checkpoint that the user gives, and which layout and state dict to take of it.
struct GivenCheckpoint {
  Checkpoint checkpoint;
  SourceChoice choice;
};

absl::StatusOr<std::vector<GivenCheckpoint>> OpenGiven(const CheckpointFiles& files);

// The parts of `entry`, whose tree is `tree`, that the checkpoints `given` are for: those of SplitWeights, or the whole
// tree where a single checkpoint fits it or, if it fits neither, is more like it than like any part.
//   InvalidArgument  as SplitWeights
absl::StatusOr<std::vector<WeightPart>> ChooseParts(const CatalogEntry& entry, const ModuleTree& tree,
                                                    const std::vector<GivenCheckpoint>& given);

// Whether the file `path` is called as the published file.
bool HasName(const PublishedFile& file, absl::string_view path);

// Finds what each of the checkpoints `given` fills: the index of its part among `parts`, those of `variant`. Keys and
// shapes tell; of several parts that a checkpoint fits it fills the one whose published file has its name, and where no
// name tells they are filled in the order given. One that fits no part gets the free
// part to which it comes nearest, so that a comparison with that one says what is wrong.
//   InvalidArgument     a file is given twice, or there are more files than parts
//   FailedPrecondition  two files fit one part
absl::StatusOr<std::vector<size_t>> AssignFiles(const Variant& variant, const std::vector<WeightPart>& parts,
                                                const std::vector<GivenCheckpoint>& given);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_ASSIGN_FILES_H_
