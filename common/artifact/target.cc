#include "common/artifact/target.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

// A small square, an odd size with an alpha channel, an image smaller than a patch, and a batch.
constexpr absl::string_view kNukeExamples[] = {
    "forward([1, 3, 28, 28])",
    "forward([1, 4, 31, 45])",
    "forward([1, 3, 5, 9])",
    "forward([2, 3, 17, 29])",
};

std::vector<Target> MakeTargets() {
  Target nuke{.name = "nuke", .wraps = true, .newest_runtime = "2.7", .examples = {}};
  for (const absl::string_view example : kNukeExamples) {
    nuke.examples.push_back(*ParseCall(example));
    nuke.examples.back().place = "target nuke";
  }
  return {{.name = "libtorch", .wraps = false, .newest_runtime = "", .examples = {}}, nuke};
}

}  // namespace

const std::vector<Target>& Targets() {
  static const auto* targets = new std::vector<Target>(MakeTargets());
  return *targets;
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  std::vector<std::string> names;
  for (const Target& target : Targets()) {
    if (target.name == name) return &target;
    names.push_back(target.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown target \"", name, "\"", NearestHint(name, names)));
}

}  // namespace modelport
