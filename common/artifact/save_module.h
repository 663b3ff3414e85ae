#ifndef MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
#define MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "common/artifact/runtime.h"
#include "common/io/background_sha256.h"
#include "common/io/output_file.h"

namespace modelport {

// Writes `module` as a TorchScript archive, byte-identical for equal modules, and returns its size in bytes. The
// archive is as LibTorch writes it, or, if `runtime` is given and wants old records, has those. Weights go from where
// they lie to the file. `sha256` is given the same bytes and reads the module's tensors until it is done. `on_bytes` is
// told of every run of bytes written.
absl::StatusOr<int64_t> SaveModule(const torch::jit::Module& module, const Runtime* runtime, OutputFile& file,
                                   BackgroundSha256& sha256, const std::function<void(int64_t)>& on_bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
