#include "common/torchscript/archive/load_archive.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/archive/archive_pieces.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

bool Contains(absl::string_view whole, absl::string_view part) {
  const std::less_equal<> before;
  return before(whole.data(), part.data()) && before(part.data() + part.size(), whole.data() + whole.size());
}

// An archive of the records, none of them compressed. It refers to their contents in `archive`.
std::shared_ptr<ArchivePieces> WritePieces(const ScriptArchive& archive) {
  auto pieces = std::make_shared<ArchivePieces>();
  absl::string_view content;
  const auto append = [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    const absl::Status written = Contains(content, bytes) ? pieces->WriteLasting(bytes) : pieces->Write(bytes);
    return written.ok() ? size : 0;
  };
  caffe2::serialize::PyTorchStreamWriter writer(append, /*compute_crc32=*/false);
  for (const ScriptArchive::Record& record : archive.records()) {
    content = record.content;
    writer.writeRecord(std::string(record.path), content.data(), content.size());
  }
  content = "";
  writer.writeEndOfFile();
  return pieces;
}

}  // namespace

absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive) {
  auto module = CatchTorch([&] { return torch::jit::load(WritePieces(archive), at::kCPU); });
  if (module.ok() || absl::IsResourceExhausted(module.status())) return module;
  return absl::DataLossError(absl::StrCat("LibTorch cannot load it: ", module.status().message()));
}

}  // namespace modelport
