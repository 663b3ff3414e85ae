#include "tools/parity/check/divergence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace modelport {
namespace {

using Side = Stage::Side;

// The inputs of the call whose result `result` is.
std::vector<const ComparedTensor*> InputsOf(const ReferenceComparison& comparison, const ComparedTensor& result) {
  std::vector<const ComparedTensor*> inputs;
  for (const ComparedTensor& tensor : comparison.tensors) {
    const bool is_input = !tensor.point.is_result && tensor.point.stage.side == Side::kInput;
    if (is_input && SameCall(tensor.point.stage, result.point.stage)) inputs.push_back(&tensor);
  }
  return inputs;
}

bool IsInput(const ComparedTensor& tensor) {
  return !tensor.point.is_result && tensor.point.stage.side == Side::kInput;
}

// What differs, from the view of the module at fault.
std::string Evidence(const ComparedTensor& tensor) {
  const std::string what = IsInput(tensor)          ? absl::StrCat("passes on ", tensor.name)
                           : tensor.point.is_result ? tensor.name
                                                    : absl::StrCat("returns ", tensor.name);
  if (!tensor.obstacle.empty()) return absl::StrCat(what, ": ", tensor.obstacle);
  return absl::StrFormat("%s: max diff %.3g, tolerance %.3g", what, tensor.measures.max_abs, tensor.tolerance);
}

// The suspect of this path, a new one if there is none.
Suspect& SuspectOf(const std::string& path, std::vector<Suspect>& suspects) {
  const auto found =
      std::find_if(suspects.begin(), suspects.end(), [&](const Suspect& suspect) { return suspect.path == path; });
  if (found != suspects.end()) return *found;
  return suspects.emplace_back(Suspect{path, {}, /*inputs_are_known=*/true});
}

}  // namespace

absl::optional<Divergence> FindDivergence(const ReferenceComparison& comparison) {
  absl::optional<Divergence> divergence;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.passed()) continue;
    if (!divergence) divergence = Divergence{tensor.name, absl::nullopt};
    if (IsInput(tensor)) continue;
    const std::vector<const ComparedTensor*> inputs = InputsOf(comparison, tensor);
    const bool are_right = std::all_of(inputs.begin(), inputs.end(), [](const auto* input) { return input->passed(); });
    if (tensor.point.is_result || (!inputs.empty() && are_right)) {
      divergence->module = tensor.point.is_result ? "" : tensor.point.stage.path;
      break;
    }
  }
  return divergence;
}

std::vector<Suspect> FindSuspects(const ReferenceComparison& forced, const std::vector<SettingDifference>& settings) {
  std::vector<Suspect> suspects;
  for (const ComparedTensor& tensor : forced.tensors) {
    if (tensor.passed()) continue;
    const bool is_input = IsInput(tensor);
    Suspect& suspect = SuspectOf(is_input ? tensor.point.caller : tensor.point.stage.path, suspects);
    suspect.evidence.push_back(Evidence(tensor));
    if (!is_input && !tensor.point.is_result) suspect.inputs_are_known &= !InputsOf(forced, tensor).empty();
  }
  for (const SettingDifference& setting : settings) {
    SuspectOf(setting.path, suspects)
        .evidence.push_back(
            absl::StrCat(setting.name, " is ", setting.actual, ", the reference has ", setting.expected));
  }
  return suspects;
}

}  // namespace modelport
