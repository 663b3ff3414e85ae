#include "tests/runtime/host_process.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include "absl/strings/str_cat.h"
#include "common/torchscript/script/torch_status.h"
#include "tests/support/tool_process.h"

namespace modelport {

absl::StatusOr<c10::IValue> RunHost(const std::string& runtime, const std::string& artifact,
                                    const std::vector<std::string>& steps) {
  std::vector<std::string> arguments = {artifact, "copy.pt", "results"};
  arguments.insert(arguments.end(), steps.begin(), steps.end());
  const std::string folder = EmptyFolder("host");
  const ToolResult host = RunWarmProgram("tests/runtime/host_" + runtime, arguments, folder);
  if (host.exit_status != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("LibTorch ", runtime, ": exit status ", host.exit_status, ": ", host.err));
  }
  const std::string results = ReadFile(folder + "/results");
  return CatchTorch([&] { return torch::jit::pickle_load({results.begin(), results.end()}); });
}

}  // namespace modelport
