#include "artifact/verify/check_proof.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/nan_to_num.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/manifest/describe_export.h"
#include "common/manifest/manifest_facts.h"
#include "common/torchscript/proof/compare_outputs.h"

namespace modelport {
namespace {

// The largest absolute value of an output's finite elements.
double LargestMagnitude(const c10::IValue& output) {
  double largest = 0;
  output.visit([&](const c10::IValue& value) {
    if (!value.isTensor() || value.toTensor().numel() == 0) return false;
    const at::Tensor magnitudes = at::nan_to_num(value.toTensor().to(at::kDouble).abs(), 0.0, 0.0, 0.0);
    largest = std::max(largest, magnitudes.max().item<double>());
    return false;
  });
  return largest;
}

// Whether an export may have measured the differences of `stated`.
bool IsPossible(const Manifest::Output& stated, const c10::IValue& output) {
  const double max_abs = stated.max_abs(), relative = stated.relative();
  if (!std::isfinite(max_abs) || max_abs < 0 || relative < 0 || (max_abs == 0) != (relative == 0)) return false;
  if (stated.equal_on_same_memory()) return relative > kAlignmentTolerance;
  // No range is more than twice the largest magnitude, which this machine's rounding moves a little.
  return relative <= kAlignmentTolerance && max_abs <= 2.1 * kAlignmentTolerance * LargestMagnitude(output);
}

// Whether an export may have found this fault of its machine.
bool IsPossibleFault(absl::string_view stated) {
  return stated.empty() ||
         (absl::EndsWith(stated, kFaultVerdict) && std::all_of(stated.begin(), stated.end(), absl::ascii_isprint));
}

}  // namespace

std::vector<std::string> ProofErrors(const Manifest::RoundTrip& stated, const RoundTrip& round_trip,
                                     const std::vector<c10::IValue>& outputs) {
  Manifest right;
  DescribeProof(stated.proven() ? absl::make_optional(round_trip) : absl::nullopt, right);
  const std::string output = "modelport.Manifest.Output.", proof = "modelport.Manifest.RoundTrip.";
  std::vector<std::string> errors = DifferingFields(
      stated, right.round_trip(),
      {output + "max_abs", output + "relative", output + "equal_on_same_memory", proof + "kernel_fault"});
  if (!errors.empty() && !stated.proven()) return {"proven: false, but results are stated"};
  if (!errors.empty()) return errors;
  if (!IsPossibleFault(stated.kernel_fault()))
    errors.push_back(absl::StrCat("kernel_fault: no export finds ", stated.kernel_fault()));
  for (int i = 0; i < stated.outputs_size(); ++i) {
    const Manifest::Output& entry = stated.outputs(i);
    if (IsPossible(entry, outputs[i])) continue;
    errors.push_back(absl::StrCat("outputs[", i, "]: no export measures max_abs ", entry.max_abs(), " and relative ",
                                  entry.relative(), " with equal_on_same_memory ",
                                  entry.equal_on_same_memory() ? "true" : "false"));
  }
  return errors;
}

}  // namespace modelport
