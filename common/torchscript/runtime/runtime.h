// Runtimes: the LibTorch releases that load artifacts.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

struct Runtime {
  absl::string_view name;  // "1.12".
  uint32_t max_archive_version = 0;
  bool old_records = false;  // Reads the record "version" only, no ".debug_pkl" records and no type name NoneType.
};

// Every known runtime, oldest first.
absl::Span<const Runtime> Runtimes();

// The runtime `name`, or that of which it is a patch release: "1.12.1" is 1.12.
//   InvalidArgument  unknown runtime "1.13"; nearest: 1.12, 2.13, 1.6
absl::StatusOr<const Runtime*> FindRuntime(absl::string_view name);

// Whether the runtime `name` is `minimum` or a newer one. False if one of them is not known.
bool IsAtLeast(absl::string_view name, absl::string_view minimum);

// The properties of an archive that decide which runtimes can read it.
struct ArchiveFormat {
  uint32_t version = 0;      // Of the TorchScript file format.
  bool new_records = false;  // Has a ".data/version" or ".debug_pkl" record.
  bool none_type = false;    // Its code names the type NoneType.
};

// The format in which WriteArchive writes for `runtime`, with the highest version that `runtime` reads.
ArchiveFormat FormatFor(const Runtime& runtime);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_H_
