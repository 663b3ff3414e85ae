#include "common/torchscript/archive/load_module.h"

#include <caffe2/serialize/file_adapter.h>
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

// A file that calls `on_bytes` with the number of bytes of each read.
class CountingReader : public caffe2::serialize::ReadAdapterInterface {
 public:
  CountingReader(const std::string& path, const std::function<void(int64_t)>& on_bytes)
      : file_(path), on_bytes_(on_bytes) {}

  size_t size() const override { return file_.size(); }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override {
    on_bytes_(size);
    return file_.read(position, buffer, size, what);
  }

 private:
  caffe2::serialize::FileAdapter file_;
  const std::function<void(int64_t)>& on_bytes_;
};

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

absl::StatusOr<torch::jit::Module> LoadModule(const std::string& path, const std::function<void(int64_t)>& on_bytes) {
  auto module =
      CatchTorch([&] { return torch::jit::load(std::make_unique<CountingReader>(path, on_bytes), at::kCPU); });
  if (!module.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": LibTorch cannot load it: ", module.status().message()));
  }
  return module;
}

absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive) {
  auto module = CatchTorch([&] { return torch::jit::load(WritePieces(archive), at::kCPU); });
  if (module.ok() || absl::IsResourceExhausted(module.status())) return module;
  return absl::DataLossError(absl::StrCat("LibTorch cannot load it: ", module.status().message()));
}

}  // namespace modelport
