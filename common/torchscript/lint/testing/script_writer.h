// Writes TorchScript files by hand, so that they may contain what LibTorch never writes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_SCRIPT_WRITER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_SCRIPT_WRITER_H_

#include <string>
#include <utility>
#include <vector>

namespace modelport {

using ScriptRecords = std::vector<std::pair<std::string, std::string>>;

// The records of a file with the code `code`. Its root is an object of the class Net in `code`, with the single
// attribute `training`.
ScriptRecords RecordsWithCode(const std::string& code);

// The code of a class Net with the methods `methods`, which are indented by two spaces.
std::string NetClass(const std::string& methods);

// The code of a method forward(self, x) for NetClass with the body `body`, which is indented by four spaces.
std::string NetForward(const std::string& body);

// A file whose root runs `statements`, indented by four spaces, while LibTorch loads it. The root also has the methods
// `more`, indented by two spaces.
std::string FileThatRuns(const std::string& statements, const std::string& more = "");

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_SCRIPT_WRITER_H_
