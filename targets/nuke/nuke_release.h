// Releases of Foundry Nuke, by the LibTorch that is in them.
#ifndef MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_
#define MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

struct NukeRelease {
  absl::string_view versions;  // "15.1 to 16.0".
  absl::string_view first;     // The first of them that lists Cattery packages, as cat.json writes it: "15.1".
  absl::string_view runtime;   // Its LibTorch, as common/runtime/runtime.h names it: "2.1".
  absl::string_view libtorch;  // "2.1.1".
  absl::string_view source;    // Whose page says so: "Foundry".
};

// Every known release, oldest first.
absl::Span<const NukeRelease> NukeReleases();

// The oldest release that loads an artifact. `minimum_runtime` is the oldest LibTorch that loads it, as
// common/runtime/runtime.h names it, or empty if none does.
//   FailedPrecondition  no release loads it
absl::StatusOr<NukeRelease> OldestNuke(absl::string_view minimum_runtime);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_NUKE_RELEASE_H_
