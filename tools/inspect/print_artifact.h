#ifndef MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_
#define MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_

#include <ostream>

#include "tools/inspect/describe_artifact.h"

namespace modelport {

// Prints a table: the file and its sha256, then what its manifest says of model, weights, target, runtimes, channels,
// methods, knobs and proof.
void PrintArtifact(const ArtifactDescription& description, std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_
