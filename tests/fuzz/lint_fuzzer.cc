// An untrusted TorchScript file as `lint` reads it: LibTorch's own loader gets it, in the child process without rights.
// An input that is no zip archive is the pickle of one. LibTorch is not instrumented and may crash there; `lint` must
// report an error then.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/testing/memory_file.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/lint/testing/script_writer.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

void LintBytes(absl::string_view bytes) {
  const MemoryFile memory(bytes);
  const absl::StatusOr<LintResult> result = LintFile(memory.path(), LintOptions(), /*least_time=*/absl::Seconds(1));
  if (!absl::IsFailedPrecondition(result.status())) FuzzCheckFileError(result.status());
  if (!result.ok()) return;
  const std::string report = FormatFindings(result->findings);
  FuzzCheck(PrintableLines(report) == report, "a report shows no character of the file that is not printable");
}

// A file of a network with a tensor and a number, whose objects are in `pickle`.
std::string FileWithPickle(absl::string_view pickle) {
  ScriptRecords records = RecordsWithCode(NetClass(absl::StrCat(
      "  weight : Tensor\n  scale : Optional[float]\n", NetForward("    return torch.mul(x.to(6), self.weight)\n"))));
  records[0].second = std::string(pickle);
  records.emplace_back("m/data/0", std::string(16, '\0'));
  return ZipArchive(records);
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input = modelport::FuzzText(data, size);
  modelport::LintBytes(absl::StartsWith(input, "PK") ? std::string(input) : modelport::FileWithPickle(input));
  return 0;
}
