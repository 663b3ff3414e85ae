#ifndef MODELPORT_PIPELINE_INSPECT_CHECKPOINT_H_
#define MODELPORT_PIPELINE_INSPECT_CHECKPOINT_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/keymap/source_choice.h"
#include "registry/registry.h"

namespace modelport {

// Prints what the file `path` holds: format, state dicts, every tensor's key, dtype and shape, and what else holds
// tensors, from headers alone. Without `entry` it says which models of the catalog the file fits, or which is the
// nearest and how the file differs from it; with `entry`, how the file maps onto that model and what that leaves out.
//   FailedPrecondition  the file does not fit `entry`; what is in it is printed all the same
//   others              as OpenCheckpoint
absl::Status InspectCheckpoint(const Registry& registry, const std::string& path,
                               const absl::optional<CatalogEntry>& entry, const SourceChoice& choice,
                               std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_INSPECT_CHECKPOINT_H_
