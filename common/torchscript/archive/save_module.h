#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SAVE_MODULE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SAVE_MODULE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/writer.h"
#include "common/torchscript/archive/archive_pieces.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A file in an archive that is not part of the module. torch::jit::load returns it to a caller who names it.
struct ExtraFile {
  std::string name;
  // Makes the file's text. It is called after everything else has been written.
  std::function<absl::StatusOr<std::string>()> text;
};

// Writes the TorchScript archive of `module`, with the files `extra`, to `out`. Equal modules give equal bytes. The
// records are those that LibTorch writes, or those of read_format.h if `runtime` is not null and has old_records. Each
// tensor's bytes go to one call of WriteLasting.
absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          Writer& out);

// The same archive in memory. It refers to the module's tensors, which must outlive it.
absl::StatusOr<std::shared_ptr<ArchivePieces>> MakeArchive(const torch::jit::Module& module, const Runtime* runtime,
                                                           const std::vector<ExtraFile>& extra);

// The format of the archive that WriteArchive writes for a module that calls `operators`. `none_type` stays false: it
// matters only to old runtimes, and WriteArchive never writes the name NoneType for them.
ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SAVE_MODULE_H_
