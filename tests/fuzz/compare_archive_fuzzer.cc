// An untrusted artifact as `verify` compares it with the archive that it made anew. LibTorch reads only the latter. An
// input that is no zip archive changes one record of the right archive: its first byte chooses the record, its second
// byte says whether the records are compressed, and the rest is the record's content.
#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/checkpoint/zip_directory.h"
#include "common/io/testing/memory_file.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/archive/module_archive.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

// What `verify` makes anew: a small module, its archive, and the records of that.
struct Right {
  torch::jit::Module module{"Toy"};
  std::shared_ptr<ArchivePieces> archive;
  std::string bytes;
  std::vector<std::pair<std::string, std::string>> records;
};

Right MakeRight() {
  Right right;
  right.module.register_parameter("weight", at::arange(3.0), /*is_buffer=*/false);
  right.module.register_parameter("bias", at::arange(4.0), /*is_buffer=*/false);
  right.module.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight + self.bias.sum()\n");
  const ExtraFile note = {"note.json", [] { return std::string("one\ntwo\n"); }};
  absl::StatusOr<std::shared_ptr<ArchivePieces>> archive = MakeArchive(right.module, /*runtime=*/nullptr, {note});
  FuzzCheck(archive.ok(), "the right archive is made");
  right.archive = *std::move(archive);
  right.bytes.resize(right.archive->size());
  right.archive->read(0, right.bytes.data(), right.bytes.size(), "");
  const auto records = ReadZipDirectory(right.bytes, ZipMethods::kStoredAndDeflated);
  FuzzCheck(records.ok(), "the right archive is read");
  for (const ZipRecord& record : *records) {
    right.records.emplace_back(record.name,
                               record.deflated ? *InflateRecord(record, record.size) : std::string(record.bytes));
  }
  return right;
}

absl::Status Compare(const Right& right, absl::string_view bytes) {
  const MemoryFile memory(bytes);
  const absl::StatusOr<ArtifactFile> file = ArtifactFile::Open(memory.path());
  FuzzCheckFileError(file.status());
  if (!file.ok()) return file.status();
  const absl::Status compared = CompareArchive(right.archive, *file, {"weight", "bias"});
  FuzzCheckFileError(compared);
  FuzzCheck(compared.ok() == (bytes == right.bytes), "exactly the right bytes pass");
  return compared;
}

void CompareChangedRecord(const Right& right, absl::string_view input) {
  auto records = right.records;
  auto& [name, content] = records[static_cast<uint8_t>(input[0]) % records.size()];
  const bool changed = content != input.substr(2);
  content = std::string(input.substr(2));
  const absl::Status compared = Compare(right, ZipArchive(records, {.deflate = input[1] % 2 != 0}));
  const absl::string_view path = absl::StripPrefix(name, kArchiveFolder);
  const bool named = absl::StrContains(compared.message(), absl::StrCat(": ", path));
  FuzzCheck(named == changed, "a message names the record that differs");
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const modelport::Right& right = *new modelport::Right(modelport::MakeRight());
  const absl::string_view input = modelport::FuzzText(data, size);
  if (absl::StartsWith(input, "PK")) {
    modelport::Compare(right, input).IgnoreError();
  } else if (size >= 2) {
    modelport::CompareChangedRecord(right, input);
  }
  return 0;
}
