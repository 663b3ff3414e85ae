#include "targets/nuke/nuke_release.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {
namespace {

// docs/nuke.md names the pages.
constexpr NukeRelease kReleases[] = {
    {"13.0 to 13.2", "13.0 13.1 13.2", "13.1", "1.6", "1.6.0", "Foundry"},
    {"14.0 to 15.0", "14.0 14.1 15.0", "14.0", "1.12", "1.12.1", "Foundry"},
    {"15.1 to 16.0", "15.1 15.2 16.0", "15.1", "2.1", "2.1.1", "third parties"},
    {"17.0", "17.0", "17.0", "2.7", "2.7.1", "third parties"},
};

// "15.1" of "15.1v3": the build does not change the LibTorch.
absl::string_view WithoutBuild(absl::string_view version) {
  const size_t v = version.find('v');
  if (v == version.npos || v + 1 == version.size()) return version;
  const absl::string_view build = version.substr(v + 1);
  return std::all_of(build.begin(), build.end(), absl::ascii_isdigit) ? version.substr(0, v) : version;
}

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

absl::StatusOr<std::string> RuntimeOfNuke(absl::string_view version) {
  const absl::string_view wanted = WithoutBuild(version);
  std::vector<std::string> known;
  for (const NukeRelease& release : kReleases) {
    for (const absl::string_view each : absl::StrSplit(release.each, ' ')) {
      if (each == wanted || each.substr(0, each.find('.')) == wanted) return std::string(release.runtime);
      known.emplace_back(each);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown Nuke \"", version,
                   "\": no page that was found names its LibTorch; known: ", absl::StrJoin(known, ", ")));
}

std::string NukesThatLoad(absl::string_view minimum_runtime) {
  std::vector<absl::string_view> versions;
  for (const NukeRelease& release : kReleases) {
    if (IsAtLeast(release.runtime, minimum_runtime)) versions.push_back(release.versions);
  }
  return versions.empty() ? "no Nuke" : absl::StrCat("Nuke ", absl::StrJoin(versions, ", "));
}

}  // namespace modelport
