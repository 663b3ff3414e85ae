#include "targets/targets.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/text/nearest.h"
#include "targets/nuke/nuke.h"
#include "targets/target/target.h"

namespace modelport {
namespace {

// Programs in C++ or Python, which call the model without a wrapper.
const Target& LibTorchTarget() {
  static const auto* const target = new Target{.name = "libtorch"};
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

}  // namespace modelport
