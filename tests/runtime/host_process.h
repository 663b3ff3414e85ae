#ifndef MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_
#define MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/torchscript/script/torch_status.h"
#include "tests/support/tool_process.h"

namespace modelport {

// Runs host.cc, compiled against the LibTorch `runtime`, with an artifact and steps. Returns the results of all calls
// as one tuple: first of the artifact, then of the copy that this LibTorch saved, with two results for each call.
//   FailedPrecondition  the host failed; says what it printed
inline absl::StatusOr<c10::IValue> RunHost(const std::string& runtime, const std::string& artifact,
                                           const std::vector<std::string>& steps) {
  std::vector<std::string> arguments = {artifact, "copy.pt", "results"};
  arguments.insert(arguments.end(), steps.begin(), steps.end());
  const std::string folder = EmptyFolder("host");
  // Not as a warm program: LibTorch 1.12 to 2.7 crash in a process that was forked after they had been loaded.
  const ToolResult host = FinishTool(StartProgram("tests/runtime/host_" + runtime, arguments, folder));
  if (host.exit_status != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("LibTorch ", runtime, ": exit status ", host.exit_status, ": ", host.err));
  }
  const std::string results = ReadFile(folder + "/results");
  return CatchTorch([&] { return torch::jit::pickle_load({results.begin(), results.end()}); });
}

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_HOST_PROCESS_H_
