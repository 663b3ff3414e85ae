#include "targets/nuke/nuke.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "targets/nuke/package_data.h"
#include "targets/nuke/package_files.h"
#include "targets/nuke/rules.h"

namespace modelport {
namespace {

// A small square, an odd size with an alpha channel, an image smaller than a patch, and a batch.
constexpr absl::string_view kExamples[] = {
    "forward([1, 3, 28, 28])",
    "forward([1, 4, 31, 45])",
    "forward([1, 3, 5, 9])",
    "forward([2, 3, 17, 29])",
};

std::vector<Call> Examples() {
  std::vector<Call> examples;
  for (const absl::string_view example : kExamples) {
    examples.push_back(*ParseCall(example));
    examples.back().place = "target nuke";
  }
  return examples;
}

}  // namespace

const Target& NukeTarget() {
  static const auto* const target = new Target{.name = "nuke",
                                               .wraps = true,
                                               .newest_runtime = "2.7",
                                               .examples = Examples(),
                                               .dtypes = {DType::kFloat32, DType::kFloat16},
                                               .rules = NukeRules(),
                                               .check = CheckNukeUses,
                                               .package = NukePackageFiles};
  return *target;
}

}  // namespace modelport
