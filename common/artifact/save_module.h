#ifndef MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
#define MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/artifact/archive_format.h"
#include "common/artifact/operators.h"
#include "common/artifact/runtime.h"
#include "common/io/background_sha256.h"
#include "common/io/output_file.h"

namespace modelport {

// A file that an archive holds beside the module, which torch::jit::load gives to those who ask for it by name.
struct ExtraFile {
  std::string name;
  // Makes the file's text; called when everything else has been written.
  std::function<absl::StatusOr<std::string>()> text;
};

// Takes the bytes of an archive in order. `is_weights`: they lie in a tensor of the module, and stay there.
using ArchiveSink = std::function<void(absl::string_view bytes, bool is_weights)>;

// Gives `sink` the TorchScript archive of `module`, byte-identical for equal modules, as LibTorch writes it, or, if
// `runtime` is given and wants old records, with those. Weights come in one piece from where they lie. Each of `extra`
// is in it.
absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          const ArchiveSink& sink);

// The format of that archive, if `module` calls `operators`. A name NoneType is not looked for: it matters to those old
// runtimes only whose archives never have it.
ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators);

// Writes that archive to `file` and returns its size in bytes. `sha256` is given the same bytes and reads the module's
// tensors until it is done. `on_bytes` is told of every run of bytes written.
absl::StatusOr<int64_t> SaveModule(const torch::jit::Module& module, const Runtime* runtime, OutputFile& file,
                                   BackgroundSha256& sha256, const std::function<void(int64_t)>& on_bytes,
                                   const std::vector<ExtraFile>& extra = {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_SAVE_MODULE_H_
