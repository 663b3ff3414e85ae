#ifndef MODELPORT_PIPELINE_CHECK_PARITY_H_
#define MODELPORT_PIPELINE_CHECK_PARITY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/parity/compare_reference.h"
#include "common/parity/divergence.h"
#include "common/parity/reference.h"
#include "common/parity/settings.h"
#include "common/proof/operator_trace.h"
#include "pipeline/build_model.h"
#include "registry/registry.h"

namespace modelport {

// How a model compares with a reference.
struct ParityReport {
  std::string model;
  std::string reference;  // Path of the file.
  SettingsComparison settings = {};
  ReferenceComparison comparison = {};
  absl::optional<Divergence> divergence = absl::nullopt;
  absl::optional<std::vector<Suspect>> suspects = absl::nullopt;  // If they were looked for.

  bool passed() const { return settings.differences.empty() && !divergence; }
};

// The reference in the file `path`: a safetensors file (common/parity/reference.h), or a TorchScript file, which is
// called as the first example of `model` says. A TorchScript file's code is run in this process, unless it has
// operators that reach files or other processes.
//   InvalidArgument     a file of another kind
//   FailedPrecondition  a reference of another model than `name`, or TorchScript that reaches outside or fails
absl::StatusOr<Reference> LoadReference(const std::string& path, const std::string& name, const BuiltModel& model);

// A reference of the model itself, with the call of `reference`, or without one that of the first example. `path` is
// its file, for messages.
absl::StatusOr<Reference> RecordModel(const BuiltModel& model, const std::string& name,
                                      const absl::optional<Reference>& reference, const std::string& path);

// The first operator that makes a NaN or an infinity, with the call of `reference` or of the first example.
absl::StatusOr<absl::optional<OperatorRun>> FindNonfinite(const BuiltModel& model, const std::string& name,
                                                          const absl::optional<Reference>& reference);

// Compares settings, then stages; if `bisects`, finds the modules that are wrong on right input, too. Errors as those
// of CompareReference.
absl::StatusOr<ParityReport> CheckParity(const torch::jit::Module& module, const std::string& name,
                                         const Reference& reference, CompareOptions options, bool bisects);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_CHECK_PARITY_H_
