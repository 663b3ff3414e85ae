#ifndef MODELPORT_TOOLS_PARITY_PRINT_PRECISION_H_
#define MODELPORT_TOOLS_PARITY_PRINT_PRECISION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/parity/check/precision.h"

namespace modelport {

// What a model loses in the dtype `dtype`: the modules that lose most, and which must stay in float32 for an error of
// `error`.
std::string PrecisionText(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed, double error);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PRINT_PRECISION_H_
