#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_ARCHIVE_FORMAT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_ARCHIVE_FORMAT_H_

#include <cstdint>

#include "common/torchscript/runtime/runtime.h"

namespace modelport {

// The properties of an archive that decide which runtimes can read it.
struct ArchiveFormat {
  uint32_t version = 0;      // Of the TorchScript file format.
  bool new_records = false;  // Has a ".data/version" or ".debug_pkl" record.
  bool none_type = false;    // Its code names the type NoneType.
};

// The format in which WriteArchive writes for `runtime`, with the highest version that `runtime` reads.
ArchiveFormat FormatFor(const Runtime& runtime);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_ARCHIVE_FORMAT_H_
