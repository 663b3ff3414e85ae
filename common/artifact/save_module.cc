#include "common/artifact/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>

#include "absl/strings/string_view.h"
#include "common/io/background_sha256.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<SavedModule> SaveModule(const torch::jit::Module& module, OutputFile& file,
                                       const std::function<void(int64_t)>& on_bytes) {
  SavedModule saved;
  BackgroundSha256 sha256;
  absl::Status written;
  // LibTorch's writer throws from its destructor when a write fails, which would end the process. So a failure is kept
  // for the end, and what comes after it goes nowhere.
  const auto write = [&](const void* data, size_t size) -> size_t {
    if (!written.ok()) return size;
    const absl::string_view bytes(static_cast<const char*>(data), size);
    sha256.Start(bytes);
    written = file.Write(bytes);
    sha256.Wait();
    saved.size += size;
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
  saved.sha256 = sha256.HexDigest();
  return saved;
}

}  // namespace modelport
