#include "targets/nuke/nuke_release.h"

#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/runtime.h"

namespace modelport {
namespace {

// docs/nuke.md names the pages.
constexpr NukeRelease kReleases[] = {
    {"13.0 to 13.2", "13.1", "1.6", "1.6.0", "Foundry"},
    {"14.0 to 15.0", "14.0", "1.12", "1.12.1", "Foundry"},
    {"15.1 to 16.0", "15.1", "2.1", "2.1.1", "third parties"},
    {"17.0", "17.0", "2.7", "2.7.1", "third parties"},
};

}  // namespace

absl::Span<const NukeRelease> NukeReleases() { return kReleases; }

absl::StatusOr<NukeRelease> OldestNuke(absl::string_view minimum_runtime) {
  for (const NukeRelease& release : kReleases) {
    if (IsAtLeast(release.runtime, minimum_runtime)) return release;
  }
  const NukeRelease& newest = *std::rbegin(kReleases);
  const std::string wanted =
      minimum_runtime.empty() ? "no known LibTorch can" : absl::StrCat("wants LibTorch ", minimum_runtime);
  return absl::FailedPreconditionError(absl::StrCat("no Nuke loads it: ", wanted, ", Nuke ", newest.versions, " has ",
                                                    newest.libtorch, "; pass --runtime=", newest.runtime,
                                                    " or an older one"));
}

}  // namespace modelport
