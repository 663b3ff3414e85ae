#ifndef MODELPORT_TOOLS_PARITY_CHECK_CHECK_PARITY_H_
#define MODELPORT_TOOLS_PARITY_CHECK_CHECK_PARITY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/settings.h"
#include "common/torchscript/parity/stage.h"
#include "tools/parity/check/divergence.h"

namespace modelport {

struct ComparedModel;

// How a model compares with a reference.
struct ParityReport {
  std::string model;
  std::string reference;  // Path of the file.
  SettingsComparison settings = {};
  ReferenceComparison comparison = {};
  absl::optional<Divergence> divergence = absl::nullopt;
  absl::optional<std::vector<Suspect>> suspects = absl::nullopt;  // If they were looked for.
  absl::optional<Stage> smallest = absl::nullopt;  // A call of the smallest suspect (tools/parity/check/reduce.h).

  bool passed() const { return settings.differences.empty() && !divergence; }
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
