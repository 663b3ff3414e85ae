#include "targets/nuke/nuke_release.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
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

// "15.1" of "Nuke15.1v3" and "v15.1": the build does not change the LibTorch.
absl::string_view PlainVersion(absl::string_view version) {
  for (const absl::string_view product : {"nukestudio", "nukex", "nuke"}) {
    if (absl::StartsWithIgnoreCase(version, product)) {
      version.remove_prefix(product.size());
      break;
    }
  }
  version = absl::StripLeadingAsciiWhitespace(version);
  if (!absl::ConsumePrefix(&version, "v")) absl::ConsumePrefix(&version, "V");
  const size_t v = version.find('v');
  if (v == version.npos || v + 1 == version.size()) return version;
  const absl::string_view build = version.substr(v + 1);
  return std::all_of(build.begin(), build.end(), absl::ascii_isdigit) ? version.substr(0, v) : version;
}

// The major and minor number of "16.1"; nullopt if it is no version.
absl::optional<std::pair<int, int>> Numbers(absl::string_view version) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(version, absl::MaxSplits('.', 1));
  std::pair<int, int> numbers = {0, 0};
  if (!absl::SimpleAtoi(parts.first, &numbers.first)) return absl::nullopt;
  if (!parts.second.empty() && !absl::SimpleAtoi(parts.second, &numbers.second)) return absl::nullopt;
  return numbers;
}

// The last of `known`, which are sorted, that is not newer than `version`; "" if there is none.
std::string NewestUpTo(absl::string_view version, const std::vector<std::string>& known) {
  const absl::optional<std::pair<int, int>> wanted = Numbers(version);
  std::string newest;
  for (const std::string& each : known) {
    if (wanted && *Numbers(each) <= *wanted) newest = each;
  }
  return newest;
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
  const absl::string_view wanted = PlainVersion(version);
  std::vector<std::string> known;
  for (const NukeRelease& release : kReleases) {
    for (const absl::string_view each : absl::StrSplit(release.each, ' ')) {
      if (each == wanted || each.substr(0, each.find('.')) == wanted) return std::string(release.runtime);
      known.emplace_back(each);
    }
  }
  const std::string older = NewestUpTo(wanted, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown Nuke \"", version, "\": no page that was found names its LibTorch; known: ", absl::StrJoin(known, ", "),
      older.empty() && Numbers(wanted)
          ? absl::StrCat("\n  Nuke ", known.front(), " is the first with an Inference node")
      : older.empty() ? ""
                      : absl::StrCat("\n  make it for Nuke ", older, " or older, which newer ones load")));
}

std::string NukesThatLoad(absl::string_view minimum_runtime) {
  std::vector<absl::string_view> versions;
  for (const NukeRelease& release : kReleases) {
    if (IsAtLeast(release.runtime, minimum_runtime)) versions.push_back(release.versions);
  }
  return versions.empty() ? "no Nuke" : absl::StrCat("Nuke ", absl::StrJoin(versions, ", "));
}

}  // namespace modelport
