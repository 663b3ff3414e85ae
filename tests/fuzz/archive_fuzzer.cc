// An untrusted TorchScript archive up to LibTorch's own loader, as `lint` reads it. An input that is no zip archive is
// the code of one, since libFuzzer does not guess the CRC-32 of a record.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/archive/script_file.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

void ReadArchive(absl::string_view file) {
  FuzzCheckFileError(CheckScriptFile(file));
  const absl::StatusOr<ScriptArchive> archive = ScriptArchive::Read(file);
  FuzzCheckFileError(archive.status());
  if (!archive.ok()) return;
  FuzzCheckFileError(FormatOf(*archive).status());
  const absl::Status outside = CheckLoadingRunsNothing(*archive);
  if (!absl::IsFailedPrecondition(outside)) FuzzCheckFileError(outside);
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input = modelport::FuzzText(data, size);
  if (absl::StartsWith(input, "PK")) {
    modelport::ReadArchive(input);
  } else {
    modelport::ReadArchive(modelport::ZipArchive(
        {{"a/version", "3\n"}, {"a/constants.pkl", "\x80\2)."}, {"a/code/__torch__.py", std::string(input)}}));
  }
  return 0;
}
