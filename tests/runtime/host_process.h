#ifndef MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_
#define MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace modelport {

// Runs host.cc, compiled against the LibTorch `runtime`, with an artifact and steps. Returns the results of all calls
// as one tuple: first of the artifact, then of the copy that this LibTorch saved, with two results for each call.
//   FailedPrecondition  the host failed; says what it printed
absl::StatusOr<c10::IValue> RunHost(const std::string& runtime, const std::string& artifact,
                                    const std::vector<std::string>& steps);

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_
