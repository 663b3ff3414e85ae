#ifndef MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
#define MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/output_file.h"

namespace modelport {

// What SaveModule wrote.
struct SavedModule {
  std::string sha256;         // Hex, of the whole file.
  int64_t size = 0;           // In bytes.
  std::string source_sha256;  // Of the checkpoint's bytes.
};

// Writes `module` as a TorchScript archive, byte-identical for equal modules. Weights go from where they lie to the
// file. Hashing runs beside the writing, and that of `source`, the bytes of the checkpoint, along with it. `on_bytes`
// is told of every run of bytes written.
absl::StatusOr<SavedModule> SaveModule(const torch::jit::Module& module, absl::string_view source, OutputFile& file,
                                       const std::function<void(int64_t)>& on_bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
