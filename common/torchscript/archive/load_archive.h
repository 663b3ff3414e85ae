#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_ARCHIVE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_ARCHIVE_H_

#include "absl/status/statusor.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Loads the module of `archive` with its tensors on the CPU. LibTorch reads a new archive that is written from the
// records of `archive`, so it sees neither other records of the file nor duplicates. Loading runs code of the archive:
// call this within RunConfined if the archive is untrusted.
//   DataLoss            LibTorch cannot load it
//   ResourceExhausted   out of memory
absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_LOAD_ARCHIVE_H_
