// The code of an untrusted TorchScript file: LibTorch's loader compiles it and `lint` follows what it made. This is
// what the child process of `lint` does, in the process of libFuzzer, so that libFuzzer sees which lines are reached.
#include <ATen/Parallel.h>
#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/torchscript/archive/script_file.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/lint/testing/script_writer.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/torch_status.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

// LibTorch recurses at each level of code, which can fill the stack.
bool IsTooDeep(const std::string& code) {
  return !CatchTorch([&] { CheckNesting(std::make_shared<torch::jit::Source>(code)); }).ok();
}

void LintCode(const std::string& code) {
  if (IsTooDeep(code)) return;
  const absl::StatusOr<ScriptFile> file = ReadScriptFile(ZipArchive(RecordsWithCode(code)));
  if (!file.ok()) return;
  for (const Operator& op : CollectOperators(*file->module)) {
    FuzzCheck(OutsideEffect(op.name).empty(), "code that was read calls nothing outside of the process");
  }
  const absl::StatusOr<LintResult> result = Lint(*file->module, file->format, LintOptions());
  if (!result.ok()) return;
  const std::string report = FormatFindings(result->findings);
  FuzzCheck(PrintableLines(report) == report, "a report shows no character of the file that is not printable");
}

}  // namespace
}  // namespace modelport

// LibTorch does not free the classes of code that does not compile, since they refer to each other.
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  at::set_num_threads(1);
  modelport::LintCode(std::string(modelport::FuzzText(data, size)));
  return 0;
}
