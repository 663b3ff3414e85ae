#ifndef MODELPORT_COMMON_ARCHIVE_SAVE_MODULE_H_
#define MODELPORT_COMMON_ARCHIVE_SAVE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/archive/archive_pieces.h"
#include "common/io/writer.h"
#include "common/runtime/archive_format.h"
#include "common/runtime/operators.h"
#include "common/runtime/runtime.h"

namespace modelport {

// A file that an archive holds beside the module, which torch::jit::load gives to those who ask for it by name.
struct ExtraFile {
  std::string name;
  // Makes the file's text; called when everything else has been written.
  std::function<absl::StatusOr<std::string>()> text;
};

// Writes the TorchScript archive of `module` to `out`: byte-identical for equal modules, as LibTorch writes it, or, if
// `runtime` is given and wants old records, with those. Each tensor's bytes are written in one run, as lasting
// ones. Each of `extra` is
// in it.
absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          Writer& out);

// The same archive in memory. It borrows the module's tensors, which must outlive it.
absl::StatusOr<std::shared_ptr<ArchivePieces>> MakeArchive(const torch::jit::Module& module, const Runtime* runtime,
                                                           const std::vector<ExtraFile>& extra);

// The format of that archive, if `module` calls `operators`. A name NoneType is not looked for: it matters to those old
// runtimes only whose archives never have it.
ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_SAVE_MODULE_H_
