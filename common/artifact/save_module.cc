#include "common/artifact/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>

#include <iterator>
#include <map>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/artifact/archive_pieces.h"
#include "common/artifact/old_records.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The memory of a module's tensors, which stays as it is as long as the module lives.
class TensorMemory {
 public:
  explicit TensorMemory(const torch::jit::Module& module) {
    for (const at::Tensor& tensor : module.parameters()) Add(tensor);
    for (const at::Tensor& tensor : module.buffers()) Add(tensor);
  }

  bool Contains(absl::string_view bytes) const {
    const auto next = ends_.upper_bound(bytes.data());
    return next != ends_.begin() && bytes.data() + bytes.size() <= std::prev(next)->second;
  }

 private:
  void Add(const at::Tensor& tensor) {
    const char* begin = static_cast<const char*>(tensor.const_data_ptr());
    ends_[begin] = begin + tensor.nbytes();
  }

  std::map<const char*, const char*> ends_;  // By begin.
};

using Sink = std::function<size_t(const void*, size_t)>;

// A tensor's bytes come to `sink` in one piece, from where they lie.
void Serialize(const torch::jit::Module& module, const Sink& sink, bool with_checksums) {
  caffe2::serialize::PyTorchStreamWriter writer(sink, with_checksums);
  torch::jit::ScriptModuleSerializer serializer(writer);
  serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
  writer.writeEndOfFile();
}

void SerializeForOldReaders(const torch::jit::Module& module, const TensorMemory& tensors, uint32_t version,
                            const Sink& sink) {
  const auto pieces = std::make_shared<ArchivePieces>();
  const auto collect = [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    if (tensors.Contains(bytes)) {
      pieces->Append(bytes);
    } else {
      pieces->AppendCopy(bytes);
    }
    return size;
  };
  Serialize(module, collect, /*with_checksums=*/false);
  WriteOldRecords(pieces, version, sink);
}

}  // namespace

absl::StatusOr<int64_t> SaveModule(const torch::jit::Module& module, const Runtime* runtime, OutputFile& file,
                                   BackgroundSha256& sha256, const std::function<void(int64_t)>& on_bytes) {
  const TensorMemory tensors(module);
  int64_t total = 0;
  absl::Status written;
  // LibTorch's writer throws from its destructor when a write fails, which would end the process. So a failure is kept
  // for the end, and what comes after it goes nowhere.
  const auto write = [&](const void* data, size_t size) -> size_t {
    if (!written.ok()) return size;
    const absl::string_view bytes(static_cast<const char*>(data), size);
    if (tensors.Contains(bytes)) {
      sha256.Append(bytes);
    } else {
      sha256.AppendCopy(bytes);
    }
    written = file.Write(bytes);
    total += size;
    on_bytes(size);
    return size;
  };
  RETURN_IF_ERROR(CatchTorch([&] {
    if (runtime != nullptr && runtime->old_records) {
      SerializeForOldReaders(module, tensors, runtime->max_archive_version, write);
    } else {
      Serialize(module, write, /*with_checksums=*/true);
    }
  }));
  RETURN_IF_ERROR(written);
  return total;
}

}  // namespace modelport
