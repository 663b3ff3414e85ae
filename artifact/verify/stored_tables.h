#ifndef MODELPORT_ARTIFACT_VERIFY_STORED_TABLES_H_
#define MODELPORT_ARTIFACT_VERIFY_STORED_TABLES_H_

#include "absl/status/statusor.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/target_tree.h"

namespace modelport {

// Puts the tables that the artifact `file` holds for its size of image in the place of those of `module`, which was
// made anew from `tree`. Processors round differently, so a table may differ from the one computed here by rounding.
// Returns the largest difference, as a part of its table's largest element.
//   DataLoss  a table is missing, has another size, or differs by more
absl::StatusOr<double> TakeStoredTables(const ArtifactFile& file, const TargetTree& tree,
                                        const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_VERIFY_STORED_TABLES_H_
