#ifndef MODELPORT_COMMON_ARCHIVE_LOAD_ARCHIVE_H_
#define MODELPORT_COMMON_ARCHIVE_LOAD_ARCHIVE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "common/archive/script_archive.h"

namespace modelport {

// Loads the module of `archive`, its tensors on the CPU, wherever they were saved. LibTorch reads an archive that is
// written anew from the records: what else a file may hold, or hold twice, it does not see. Loading runs code of the
// archive: for one that nobody vouches for, call this within RunConfined.
//   DataLoss            LibTorch cannot load it
//   ResourceExhausted   out of memory
absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_LOAD_ARCHIVE_H_
