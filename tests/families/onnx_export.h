// What the tests of a family's ONNX files ask of export --target=onnx and of its hosts.
#ifndef MODELPORT_TESTS_FAMILIES_ONNX_EXPORT_H_
#define MODELPORT_TESTS_FAMILIES_ONNX_EXPORT_H_

#include <string>

#include "nlohmann/json.hpp"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {

// What models/FAMILY/testdata/onnx.txt says of a model: sizes that have to be fixed, or why it has no file, also of one
// target alone, and methods beside forward that have one.
Case OnnxCaseOf(const std::string& model);

// The manifest of the proven file `name` in `folder`, which the export of `result` wrote. Null if `refused` has a
// reason for which the export must have failed, or if it failed against the test's will.
nlohmann::json ProvenManifest(const ToolResult& result, const std::string& refused, const std::string& folder,
                              const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_TESTS_FAMILIES_ONNX_EXPORT_H_
