#include "common/torchscript/lint/lint_file.h"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/sandbox/run_confined.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/lint/lint_message.pb.h"
#include "common/torchscript/lint/script_file.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

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

// A file that calls more unknown operators is not for LibTorch.
constexpr size_t kMaxUnknown = 100;

// The operator that LibTorch does not know, if it says so in `status`; else "".
std::string UnknownOperator(const absl::Status& status) {
  constexpr absl::string_view kSays = "Unknown builtin op: ";
  const absl::string_view message = status.message();
  const size_t at = message.find(kSays);
  if (at == message.npos) return "";
  const absl::string_view rest = message.substr(at + kSays.size());
  const auto is_part = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == ':'; };
  return std::string(rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_part));
}

// Registers an operator that takes anything and returns a tensor, so that LibTorch compiles code that calls it.
absl::Status RegisterStub(const std::string& name) {
  return CatchTorch([&] {
    torch::jit::registerOperator(torch::jit::Operator(
        absl::StrCat(name, "(...) -> Tensor"),
        [name](torch::jit::Stack&) { TORCH_CHECK(false, name, " is not an operator of LibTorch"); },
        c10::AliasAnalysisKind::CONSERVATIVE));
  });
}

// Reads the file with stubs for the operators that LibTorch does not have, which it adds to `unknown`.
absl::StatusOr<ScriptFile> ReadWithStubs(absl::string_view bytes, std::set<std::string>& unknown) {
  while (true) {
    absl::StatusOr<ScriptFile> file = ReadScriptFile(bytes);
    const std::string name = UnknownOperator(file.status());
    if (name.empty() || unknown.size() == kMaxUnknown || !unknown.insert(name).second) return file;
    RETURN_IF_ERROR(RegisterStub(name));
  }
}

absl::StatusOr<std::string> LintBytes(absl::string_view bytes, LintOptions options) {
  // The confined process cannot start threads.
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const ScriptFile file, ReadWithStubs(bytes, options.unknown_operators));
  ASSIGN_OR_RETURN(const LintResult result, Lint(file.module, file.format, options));
  return Encode(result);
}

}  // namespace

absl::StatusOr<LintResult> LintFile(const std::string& path, const LintOptions& options, absl::Duration least_time) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::string_view bytes = file->bytes();
  const auto encoded =
      RunConfined(LimitsForScript(bytes.size(), least_time), [&] { return LintBytes(bytes, options); });
  RETURN_IF_ERROR(file->CheckUnchanged());
  if (!encoded.ok()) return Annotate(ErrorOfScript(encoded.status()), path);
  absl::StatusOr<LintResult> result = Decode(*encoded);
  return result.ok() ? std::move(result) : Annotate(result.status(), path);
}

}  // namespace modelport
