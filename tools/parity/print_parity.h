#ifndef MODELPORT_TOOLS_PARITY_PRINT_PARITY_H_
#define MODELPORT_TOOLS_PARITY_PRINT_PARITY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/torchscript/parity/stage.h"
#include "tools/parity/check/check_parity.h"
#include "tools/parity/check/precision.h"

namespace modelport {

// The stages that have a row in the table.
enum class Rows {
  kFirst,  // The first that fail, or if none does the one that is nearest to its tolerance, and the results.
  kAll,    // All, but for inputs of modules that pass, where the module's result has a row.
};

// The report as a table: settings that differ, rows of stages, where the model diverges.
std::string ParityText(const ParityReport& report, Rows rows);

// What --reduce wrote, and the command that runs it.
std::string ReductionText(const Stage& call, const SavedReduction& saved);

// All of the report as JSON. A number that JSON lacks, such as an infinite one, is null.
std::string ParityJson(const ParityReport& report);

// What a model loses in the dtype `dtype`: the modules that lose most, or all of them, and which must stay in float32
// for an error of `error`.
std::string PrecisionText(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed, double error, Rows rows);

// The same as JSON, with all modules.
std::string PrecisionJson(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PRINT_PARITY_H_
