// Prints what keeps a TorchScript file from working in a host.
#include "common/torchscript/lint/lint.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint_file.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "targets/host_rules.h"
#include "targets/target/target.h"
#include "tools/command/commands.h"
#include "tools/request/host_request.h"

namespace modelport {
namespace {

// Without a wish of the user, the runtime is the newest that a release of the target has.
absl::StatusOr<LintOptions> MakeOptions(const HostRequest& request) {
  LintOptions options = {.host_rules = HostRules(*request.target), .runtime = request.runtime};
  if (const std::string& newest = request.target->newest_runtime; options.runtime == nullptr && !newest.empty()) {
    ASSIGN_OR_RETURN(options.runtime, FindRuntime(newest));
  }
  return options;
}

// Where the file can be used at all, given the oldest runtime.
std::string DescribeRuntimes(const Target& target, const std::string& minimum) {
  const std::string runtimes =
      minimum.empty() ? "no known LibTorch loads it" : absl::StrCat("runs in LibTorch ", minimum, " and newer");
  return target.loaded_by == nullptr ? runtimes : absl::StrCat(runtimes, ", loads in ", target.loaded_by(minimum));
}

absl::Status Run(const std::string& path) {
  ASSIGN_OR_RETURN(const HostRequest request, ParseHostRequest());
  ASSIGN_OR_RETURN(const LintOptions options, MakeOptions(request));
  ASSIGN_OR_RETURN(const LintResult result, LintFile(path, options));
  const std::string count = CountFindings(result.findings);
  std::cout << FormatFindings(result.findings) << count << "; "
            << DescribeRuntimes(*request.target, result.minimum_runtime) << "\n";
  if (result.findings.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", count, " for ", request.target->name));
}

}  // namespace

Command LintCommand() {
  return {
      .name = "lint",
      .summary = "Prints what keeps a TorchScript file, of any origin, from working in a host.",
      .arguments = "FILE.pt",
      .flags = HostFlags(),
      .run = TakesFile(Run),
  };
}

}  // namespace modelport
