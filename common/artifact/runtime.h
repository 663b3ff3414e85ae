// Runtimes: the LibTorch releases that load artifacts. What they can load follows from the archive itself.
#ifndef MODELPORT_COMMON_ARTIFACT_RUNTIME_H_
#define MODELPORT_COMMON_ARTIFACT_RUNTIME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/artifact/operators.h"
#include "common/script/plugin_resolver.h"

namespace modelport {

struct Runtime {
  absl::string_view name;  // "1.12".
  uint32_t max_archive_version = 0;
  bool old_records = false;    // Only the record "version", no ".debug_pkl" record and no type name NoneType.
  bool floor_divides = false;  // aten::floor_divide rounds down; it rounded towards zero before 1.13.
};

// Every known runtime, oldest first.
absl::Span<const Runtime> Runtimes();

// The runtime `name`.
//   InvalidArgument  it is not known; lists those that are
absl::StatusOr<Runtime> FindRuntime(absl::string_view name);

// What hasattr(torch, "NAME") asks in text that is compiled for `runtime`, or, without one, for this LibTorch.
HasOperator OperatorsOf(const absl::optional<Runtime>& runtime);

// How an archive is written, as far as runtimes differ in what they read.
struct ArchiveFormat {
  uint32_t version = 0;      // Of the TorchScript file format.
  bool new_records = false;  // Has a ".data/version" or ".debug_pkl" record.
  bool none_type = false;    // Its code names the type NoneType.
};

// The format in which SaveModule writes for `runtime`, with the greatest version that it may have.
ArchiveFormat FormatFor(const Runtime& runtime);

// Reads the format of the TorchScript file `path`.
//   DataLoss         not an archive, or a damaged one
//   InvalidArgument  an archive without code, as torch.save writes
absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path);

// One reason why a runtime cannot load an archive, or would compute something else with it.
struct RuntimeObstacle {
  std::string call;                         // "aten::pad(Tensor, List[int])"; empty: the archive's format.
  std::string cause;                        // "LibTorch 1.6 does not have it".
  std::vector<OperatorCall::Place> places;  // Where the call is made.
};

// All that keeps `runtime` from loading an archive of this format and operators and computing the same with it.
std::vector<RuntimeObstacle> FindObstacles(const Runtime& runtime, const ArchiveFormat& format,
                                           const std::vector<Operator>& operators);

// Whether FindObstacles finds nothing.
//   FailedPrecondition  names the obstacles with their lines and modules, and the oldest runtime that has none
absl::Status CheckRuntime(const Runtime& runtime, const ArchiveFormat& format, const std::vector<Operator>& operators);

// Name of the oldest runtime without obstacles; empty if none does.
std::string MinimumRuntime(const ArchiveFormat& format, const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_RUNTIME_H_
