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
  absl::Status write_status;
  const auto write = [&](const void* data, size_t size) -> size_t {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    sha256.Start(bytes);
    write_status = file.Write(bytes);
    sha256.Wait();
    if (!write_status.ok()) return 0;
    saved.size += size;
    on_bytes(size);
    return size;
  };
  const absl::Status status = CatchTorch([&] {
    caffe2::serialize::PyTorchStreamWriter writer(write);
    torch::jit::ScriptModuleSerializer serializer(writer);
    serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
    writer.writeEndOfFile();
  });
  // A failed write is the cause; what LibTorch makes of it is not.
  RETURN_IF_ERROR(write_status);
  RETURN_IF_ERROR(status);
  saved.sha256 = sha256.HexDigest();
  return saved;
}

}  // namespace modelport
