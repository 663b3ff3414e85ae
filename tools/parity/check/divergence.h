#ifndef MODELPORT_TOOLS_PARITY_CHECK_DIVERGENCE_H_
#define MODELPORT_TOOLS_PARITY_CHECK_DIVERGENCE_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/settings.h"

namespace modelport {

// Where a module, run on its own, begins to differ from a reference.
struct Divergence {
  std::string stage;  // The first tensor, in the order of execution, that does not pass.
  // The deepest module whose inputs pass and whose result does not, the first of them; "" for the module itself,
  // nullopt if the reference does not have the inputs that would tell.
  absl::optional<std::string> module;
};

// nullopt if all tensors pass.
absl::optional<Divergence> FindDivergence(const ReferenceComparison& comparison);

// A module that is wrong on right input.
struct Suspect {
  std::string path;  // "" for the module itself.
  std::vector<std::string> evidence;
  // False if the reference lacks the inputs of the module: the code that computes them may be wrong in its place.
  bool inputs_are_known = true;
};

// The modules whose own text, constants or weights are wrong, in the order of execution. `forced` is a comparison with
// inject_all, in which each module gets the reference's inputs, and from the modules that it calls the reference's
// results. If a result differs, the module itself is wrong; if an argument differs, the module that passes it.
// `settings` are those that differ.
std::vector<Suspect> FindSuspects(const ReferenceComparison& forced, const std::vector<SettingDifference>& settings);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_DIVERGENCE_H_
