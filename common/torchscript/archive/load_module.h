#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_MODULE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_MODULE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Loads the TorchScript file `path`. The file must be trusted, that is, Modelport itself has written it, because
// loading runs code of the file. Each read calls `on_bytes` with its number of bytes.
//   DataLoss  LibTorch cannot load it
absl::StatusOr<torch::jit::Module> LoadModule(
    const std::string& path, const std::function<void(int64_t)>& on_bytes = [](int64_t) {});

// Loads the module of `archive` with its tensors on the CPU. LibTorch reads a new archive that is written from the
// records of `archive`, so it sees neither other records of the file nor duplicates. Loading runs code of the archive:
// call this within RunConfined if the archive is untrusted.
//   DataLoss            LibTorch cannot load it
//   ResourceExhausted   out of memory
absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_MODULE_H_
