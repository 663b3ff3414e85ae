#include "common/torchscript/archive/load_module.h"

#include <caffe2/serialize/file_adapter.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>

#include "absl/strings/str_cat.h"
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

}  // namespace

absl::StatusOr<torch::jit::Module> LoadModule(const std::string& path, const std::function<void(int64_t)>& on_bytes) {
  auto module =
      CatchTorch([&] { return torch::jit::load(std::make_unique<CountingReader>(path, on_bytes), at::kCPU); });
  if (!module.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": LibTorch cannot load it: ", module.status().message()));
  }
  return module;
}

}  // namespace modelport
