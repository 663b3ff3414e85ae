#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIMES_EMBEDDED_OPERATORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIMES_EMBEDDED_OPERATORS_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// The file operators.txt only. The target :operators defines this function.
absl::Span<const EmbeddedFile> EmbeddedOperators();

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIMES_EMBEDDED_OPERATORS_H_
