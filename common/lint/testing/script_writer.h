// TorchScript files written by hand, which may hold what LibTorch would never write.
#ifndef MODELPORT_COMMON_LINT_TESTING_SCRIPT_WRITER_H_
#define MODELPORT_COMMON_LINT_TESTING_SCRIPT_WRITER_H_

#include <string>
#include <utility>
#include <vector>

namespace modelport {

using ScriptRecords = std::vector<std::pair<std::string, std::string>>;

// The records of a file with the code `code`, whose root is an object of its class Net without attributes but
// `training`.
ScriptRecords RecordsWithCode(const std::string& code);

// A class Net whose methods are `methods`, indented by two.
std::string NetClass(const std::string& methods);

// A forward(self, x) with the body `body`, indented by four, for NetClass.
std::string NetForward(const std::string& body);

// A file whose root runs `statements`, indented by four, while LibTorch loads it, and has the methods `more`, indented
// by two.
std::string FileThatRuns(const std::string& statements, const std::string& more = "");

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_TESTING_SCRIPT_WRITER_H_
