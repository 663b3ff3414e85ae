#include "common/artifact/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>

#include <iterator>
#include <map>

#include "absl/strings/string_view.h"
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

}  // namespace

absl::StatusOr<int64_t> SaveModule(const torch::jit::Module& module, OutputFile& file, BackgroundSha256& sha256,
                                   const std::function<void(int64_t)>& on_bytes) {
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
    caffe2::serialize::PyTorchStreamWriter writer(write);
    torch::jit::ScriptModuleSerializer serializer(writer);
    serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
    writer.writeEndOfFile();
  }));
  RETURN_IF_ERROR(written);
  return total;
}

}  // namespace modelport
