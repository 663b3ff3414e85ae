// Compares a model with a reference, finds where it begins to differ, and cuts the submodule that is wrong out of it,
// with the inputs and the outputs of the reference.
#ifndef MODELPORT_TOOLS_PARITY_CHECK_CHECK_PARITY_H_
#define MODELPORT_TOOLS_PARITY_CHECK_CHECK_PARITY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

struct ComparedModel;

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

// The modules of which nothing can be told, in the order of execution: what differs there depends on a tensor that
// differs, too, and of which the reference has a slice alone or another shape, so that it could not be given. They are
// none of FindSuspects.
std::vector<std::string> FindUnjudged(const ReferenceComparison& forced);

// The call to reduce a module to: of the submodule with the fewest parameters and buffers among `suspects`, whose
// inputs are known, the first call whose result differs in `forced`, a comparison with inject_all, or else its first
// one. The model itself, Stage{.path = ""}, if it is the only suspect; nullopt if there is none.
absl::optional<Stage> FindReduction(const torch::jit::Module& module, const ReferenceComparison& forced,
                                    const std::vector<Suspect>& suspects);

// Where the code of `module` casts tensors to float16 or bfloat16 although its weights have more bits, in the order of
// its modules: "head.scratch (modules.yaml:31): float16". What rounding makes there is the text's own doing, which a
// measure of rounding by the model itself would excuse. Of several modules with one class the first is named.
std::vector<std::string> FindNarrowingCasts(const torch::jit::Module& module);

// A submodule, and a reference of one call of it.
struct Reduction {
  std::shared_ptr<const torch::jit::Module> module;  // Never null.
  Reference reference;
};

// The submodule of `call` alone. Its arguments are those of the call in a run in which all other modules pass on what
// `reference` tells; what it returns, and what passes within it, is what `reference` expects there.
//   NotFound            nothing makes this call
//   FailedPrecondition  the reference does not tell what the call returns
//   others              as CompareReference
absl::StatusOr<Reduction> Reduce(const torch::jit::Module& module, const Reference& reference, const Stage& call);

// How a model compares with a reference.
struct ParityReport {
  std::string model;
  std::string reference;  // Path of the file.
  SettingsComparison settings = {};
  ReferenceComparison comparison = {};
  absl::optional<Divergence> divergence = absl::nullopt;
  absl::optional<std::vector<Suspect>> suspects = absl::nullopt;  // If they were looked for.
  std::vector<std::string> unjudged = {};                         // Then those of FindUnjudged.
  std::vector<std::string> narrowing = {};                        // FindNarrowingCasts of the model.
  absl::optional<Stage> smallest = absl::nullopt;  // A call of the smallest suspect; see FindReduction().

  bool passed() const { return settings.differences.empty() && !divergence && (!suspects || suspects->empty()); }
};

// Compares settings, then stages; if `bisects`, finds the modules that are wrong on right input, too. Errors as those
// of CompareReference.
absl::StatusOr<ParityReport> CheckParity(const ComparedModel& model, const Reference& reference, CompareOptions options,
                                         bool bisects);

// A submodule alone, in files.
struct SavedReduction {
  std::string module_path;
  std::string reference_path;
  absl::optional<Divergence> divergence = absl::nullopt;  // Of the saved submodule, loaded back; nullopt if it passes.
};

// Writes the submodule of `call` to a .pt file in `folder`, which is made if there is none, and beside it a reference
// with the inputs and what `reference` expects of the call. Both are named after the submodule, or for the root after
// the reference's model, with _ in the place of each character that is not a letter, a digit, a dot or a hyphen.
//   Unimplemented    an argument that a reference cannot hold
//   InvalidArgument  a file to be written is an input
//   others           as Reduce and OutputFile; nothing is written then
absl::StatusOr<SavedReduction> SaveReduction(const ComparedModel& model, const Reference& reference, const Stage& call,
                                             const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_CHECK_PARITY_H_
