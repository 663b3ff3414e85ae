#ifndef MODELPORT_TOOLS_PRINT_PARITY_H_
#define MODELPORT_TOOLS_PRINT_PARITY_H_

#include <string>

#include "pipeline/check_parity.h"

namespace modelport {

// The report as a table: settings that differ, a row for each stage, where the model diverges. Inputs of modules that
// pass have no row, where the module's result has one.
std::string ParityText(const ParityReport& report);

// All of the report as JSON. A number that JSON lacks, such as an infinite one, is null.
std::string ParityJson(const ParityReport& report);

// "" for the module itself is hard to see in a report: "the model itself".
std::string ModuleName(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PRINT_PARITY_H_
