#include "targets/targets.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/nearest.h"
#include "targets/nuke/nuke.h"
#include "targets/target/target.h"

namespace modelport {
namespace {

// Programs in C++ or Python, which call the model without a wrapper.
const Target& LibTorchTarget() {
  static const auto* const target = new Target{.name = "libtorch", .title = "LibTorch"};
  return *target;
}

}  // namespace

absl::Span<const Target* const> Targets() {
  static const auto* const targets = new std::vector<const Target*>{
      &LibTorchTarget(),
      &NukeTarget(),
  };
  return *targets;
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  std::vector<std::string> names;
  for (const Target* target : Targets()) {
    if (target->name == name) return target;
    names.push_back(target->name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown target \"", name, "\"", NearestHint(name, names)));
}

std::string WrappingTargetFlags() {
  std::vector<std::string> flags;
  for (const Target* target : Targets()) {
    if (target->wraps) flags.push_back(absl::StrCat("--target=", target->name));
  }
  return absl::StrJoin(flags, " or ");
}

std::string PackageFlagHint() {
  std::vector<std::string> hints;
  for (const Target* target : Targets()) {
    if (target->package == nullptr) continue;
    hints.push_back(absl::StrCat("--", target->name, "=VERSION, the oldest ", target->title,
                                 " that has to load the package, such as --", target->name, "=",
                                 target->example_releases));
  }
  return absl::StrJoin(hints, "; ");
}

}  // namespace modelport
