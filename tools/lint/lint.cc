// Prints what keeps a TorchScript file from working in a host.
#include "common/torchscript/lint/lint.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/runtime/runtime.h"
#include "nlohmann/json.hpp"
#include "targets/host_rules.h"
#include "targets/target/target.h"
#include "tools/command/commands.h"
#include "tools/command/report.h"
#include "tools/command/tool_call.h"
#include "tools/request/host_request.h"

namespace modelport {
namespace {

struct LintFlags {
  FlagGroup group;
  HostFlags host{group};
  Report report{group};
};

// Without a wish of the user, the runtime is the newest that a release of the target has.
absl::StatusOr<LintOptions> MakeOptions(const HostRequest& request) {
  if (request.target->format != FormatKind::kTorchScript) {
    return absl::InvalidArgumentError(absl::StrCat("--target=", request.target->name,
                                                   ": artifacts for it are ONNX files, and lint reads TorchScript; ",
                                                   ToolCall("export"), " checks the ONNX files that it makes"));
  }
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

nlohmann::ordered_json ReportOf(const std::string& path, const LintResult& result) {
  auto findings = nlohmann::ordered_json::array();
  for (const Finding& finding : result.findings) {
    findings.push_back({{"rule", finding.rule},
                        {"modules", finding.modules},
                        {"line", finding.line.place},
                        {"text", finding.line.text},
                        {"message", finding.message},
                        {"cure", finding.cure}});
  }
  return {{"path", path}, {"minimum_runtime", result.minimum_runtime}, {"findings", findings}};
}

// Prints or reports the findings. `was_read` becomes whether LintFile could read the file.
//   FailedPrecondition  there are some
//   others              as LintFile
absl::Status LintOne(const std::string& path, const HostRequest& request, const LintOptions& options, Report& report,
                     bool& was_read) {
  was_read = false;
  ASSIGN_OR_RETURN(const LintResult result, LintFile(path, options));
  was_read = true;
  const std::string count = CountFindings(result.findings);
  if (report.is_wanted()) {
    report.fields()["files"].push_back(ReportOf(path, result));
  } else {
    std::cout << FormatFindings(result.findings) << count << "; "
              << DescribeRuntimes(*request.target, result.minimum_runtime) << "\n";
  }
  if (result.findings.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", count, " for ", request.target->name));
}

// One file after the other, whatever is found in the others.
absl::Status Run(LintFlags& flags, const std::vector<std::string>& paths) {
  if (paths.empty()) return absl::InvalidArgumentError("the file is missing: give its path beside the flags");
  ASSIGN_OR_RETURN(const HostRequest request, ParseHostRequest(flags.host));
  ASSIGN_OR_RETURN(const LintOptions options, MakeOptions(request));
  bool was_read = false;
  if (paths.size() == 1) return LintOne(paths.front(), request, options, flags.report, was_read);
  // What cannot be read comes before what has findings: nobody knows what it has.
  std::vector<absl::Status> failures, found;
  for (const std::string& path : paths) {
    if (!flags.report.is_wanted()) std::cout << path << "\n";
    const absl::Status status = LintOne(path, request, options, flags.report, was_read);
    if (!status.ok()) (was_read ? found : failures).push_back(status);
    if (was_read) continue;
    if (flags.report.is_wanted()) {
      flags.report.fields()["files"].push_back({{"path", path}, {"error", ErrorReport(status)}});
    } else {
      std::cout << "not read: " << status.message() << "\n";
    }
  }
  failures.insert(failures.end(), found.begin(), found.end());
  if (failures.empty()) return absl::OkStatus();
  const auto line = [&](size_t i) { return std::string(failures[i].message()); };
  return absl::Status(failures.front().code(), absl::StrCat(failures.size(), " of ", paths.size(),
                                                            " files:", FirstFewLines(failures.size(), "  ", line)));
}

}  // namespace

Command LintCommand() {
  return {
      .name = "lint",
      .summary = "Prints what keeps a TorchScript file, of any origin, from working in a host.",
      .arguments = "FILE.pt...",
      .begin = TakesFiles<LintFlags>(Run),
  };
}

}  // namespace modelport
