// Prints what keeps a TorchScript file from working in a host.
#include "common/lint/lint.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "common/lint/lint_file.h"
#include "common/lint/report.h"
#include "common/runtime/runtime.h"
#include "common/runtime/runtime_obstacles.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "targets/host_rules.h"
#include "targets/targets.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, target, "libtorch", "the host that the file is for: libtorch or nuke");
ABSL_FLAG(std::string, runtime, "",
          "the LibTorch that has to load it, such as 1.12; by default the newest that a release of the target has");

namespace modelport {
namespace {

absl::StatusOr<LintOptions> ParseOptions() {
  LintOptions options;
  const std::string name = absl::GetFlag(FLAGS_target);
  const absl::StatusOr<const Target*> target = FindTarget(name);
  if (!target.ok()) return Annotate(target.status(), absl::StrCat("--target=", name));
  options.host_rules = HostRules(**target);
  const std::string flag = absl::GetFlag(FLAGS_runtime);
  if (const std::string runtime = flag.empty() ? (*target)->newest_runtime : flag; !runtime.empty()) {
    const absl::StatusOr<const Runtime*> found = FindRuntime(runtime);
    if (!found.ok()) return Annotate(found.status(), absl::StrCat("--runtime=", runtime));
    options.runtime = *found;
  }
  return options;
}

// Where the file can be used at all, given the oldest runtime.
std::string DescribeRuntimes(const std::string& minimum) {
  return minimum.empty() ? "no known LibTorch loads it" : absl::StrCat("runs in LibTorch ", minimum, " and newer");
}

absl::Status Run(const std::string& path) {
  ASSIGN_OR_RETURN(const LintOptions options, ParseOptions());
  ASSIGN_OR_RETURN(const LintResult result, LintFile(path, options));
  const std::string count = CountFindings(result.findings);
  std::cout << FormatFindings(result.findings) << count << "; " << DescribeRuntimes(result.minimum_runtime) << "\n";
  if (result.findings.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", count, " for ", absl::GetFlag(FLAGS_target)));
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunFileTool(
      argc, argv,
      "Prints what keeps a TorchScript file, of any origin, from working in a host: lint FILE.pt --target=nuke.",
      modelport::Run);
}
