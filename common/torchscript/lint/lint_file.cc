#include "common/torchscript/lint/lint_file.h"

#include <ATen/Parallel.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/sandbox/run_confined.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/lint/lint_message.pb.h"
#include "common/torchscript/lint/script_file.h"

namespace modelport {
namespace {

// LibTorch copies tensors once, in about 1 ns per byte. To compile code it takes about 150 bytes and 2 us per byte, and
// code is compressed in the file. The constants are enough for 2 MB of code, or 30,000 lines, in a file without
// tensors.
ConfinedLimits LimitsFor(size_t file_size, absl::Duration least_time) {
  const absl::Duration cpu_time = least_time + absl::Nanoseconds(100 * file_size);
  return {.memory = static_cast<int64_t>((512 << 20) + 2 * file_size),
          .cpu_time = cpu_time,
          // The disk may be slow, and the machine busy.
          .wall_time = absl::Minutes(5) + 10 * cpu_time};
}

std::string Encode(const LintResult& result) {
  LintMessage message;
  message.set_minimum_runtime(result.minimum_runtime);
  for (const Finding& finding : result.findings) {
    LintMessage::Finding& copy = *message.add_findings();
    for (const std::string& module : finding.modules) copy.add_modules(module);
    copy.set_place(finding.line.place);
    copy.set_text(finding.line.text);
    copy.set_message(finding.message);
    copy.set_cure(finding.cure);
    copy.set_rule(finding.rule);
  }
  return message.SerializeAsString();
}

absl::StatusOr<LintResult> Decode(const std::string& bytes) {
  LintMessage message;
  if (!message.ParseFromString(bytes)) return absl::DataLossError("the confined process returned no lint result");
  LintResult result;
  result.minimum_runtime = message.minimum_runtime();
  for (const LintMessage::Finding& finding : message.findings()) {
    result.findings.push_back({.modules = {finding.modules().begin(), finding.modules().end()},
                               .line = {finding.place(), finding.text()},
                               .message = finding.message(),
                               .cure = finding.cure(),
                               .rule = finding.rule()});
  }
  return result;
}

absl::StatusOr<std::string> LintBytes(absl::string_view bytes, const LintOptions& options) {
  // The confined process cannot start threads.
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const ScriptFile file, ReadScriptFile(bytes));
  ASSIGN_OR_RETURN(const LintResult result, Lint(file.module, file.format, options));
  return Encode(result);
}

// A message of LibTorch quotes the file, so it may be as long as the file.
constexpr size_t kMaxMessage = 4000;

absl::Status Explain(const absl::Status& status) {
  const std::string message = PrintableLines(status.message().substr(0, kMaxMessage));
  // For a module of Modelport's own these errors would be a bug. Here the file causes them.
  if (!absl::IsAborted(status) && !absl::IsInternal(status)) return absl::Status(status.code(), message);
  return absl::DataLossError(absl::StrCat("LibTorch cannot read it: ", message));
}

}  // namespace

absl::StatusOr<LintResult> LintFile(const std::string& path, const LintOptions& options, absl::Duration least_time) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::string_view bytes = file->bytes();
  const auto encoded = RunConfined(LimitsFor(bytes.size(), least_time), [&] { return LintBytes(bytes, options); });
  RETURN_IF_ERROR(file->CheckUnchanged());
  if (!encoded.ok()) return Annotate(Explain(encoded.status()), path);
  absl::StatusOr<LintResult> result = Decode(*encoded);
  return result.ok() ? std::move(result) : Annotate(result.status(), path);
}

}  // namespace modelport
