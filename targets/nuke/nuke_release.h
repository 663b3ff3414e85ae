// Releases of Foundry Nuke, by the LibTorch that is in them. docs/nuke.md names the pages that say so.
#ifndef MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_
#define MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

struct NukeRelease {
  absl::string_view versions;  // "15.1 to 16.0".
  absl::string_view each;      // Each of them, oldest first: "15.1 15.2 16.0".
  absl::string_view first;     // The first of them that lists Cattery packages, as cat.json writes it: "15.1".
  absl::string_view runtime;   // Its LibTorch, as common/torchscript/runtime/runtime.h names it: "2.1".
  absl::string_view libtorch;  // "2.1.1".
  absl::string_view source;    // Whose page says so: "Foundry".
};

// Every known release, oldest first.
absl::Span<const NukeRelease> NukeReleases();

// The oldest release that loads an artifact. `minimum_runtime` is the oldest LibTorch that loads it, as
// common/torchscript/runtime/runtime.h names it, or empty if none does.
//   FailedPrecondition  no release loads it
absl::StatusOr<NukeRelease> OldestNuke(absl::string_view minimum_runtime);

// The LibTorch of one version of Nuke, as common/torchscript/runtime/runtime.h names it. `version` is "15.1", the same
// with the build behind it, "15.1v3", or a number alone, which means the oldest of that number: "15" is 15.0.
//   InvalidArgument  no such version is known; names those that are
absl::StatusOr<std::string> RuntimeOfNuke(absl::string_view version);

// The releases that load an artifact: "Nuke 14.0 to 15.0, 15.1 to 16.0, 17.0", or "no Nuke". `minimum_runtime` as for
// OldestNuke.
std::string NukesThatLoad(absl::string_view minimum_runtime);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_
