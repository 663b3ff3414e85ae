// Compares an artifact with golden cases, stage by stage.
#ifndef MODELPORT_TESTS_GOLDEN_CHECK_H_
#define MODELPORT_TESTS_GOLDEN_CHECK_H_

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/keymap/key_pattern.h"
#include "tests/golden_case.h"

namespace modelport {

// A line of a table of stages, such as tests/stages.txt.
struct StageRow {
  std::string owner;  // A family, or the type of a model's root.
  KeyPattern golden;
  std::string call;
  std::string stage;
  std::string element;
};

absl::StatusOr<std::vector<StageRow>> ReadStageTable(const std::string& path);

// How far one stage of an artifact is from the golden.
struct StageResult {
  std::string stage;
  double difference = 0;  // Largest absolute difference; infinite if the shapes differ.
  double max_abs = 0;     // Of the golden.
  double noise = 0;       // Of the golden.

  // What rounding in other kernels may amount to: 4 times the noise, at least 4e-6 of the largest element.
  double tolerance() const { return std::max(4 * noise, 4e-6 * max_abs); }
  // Never where a difference is infinite or no number.
  bool ok() const { return std::isfinite(difference) && difference <= tolerance(); }
};

// Runs `module`, of `family`, on the case's input and compares every stage of the case.
//   NotFound  a stage that the table does not have, or that is not called
absl::StatusOr<std::vector<StageResult>> CheckGolden(const torch::jit::Module& module, absl::string_view family,
                                                     const GoldenCase& golden, const std::vector<StageRow>& table);

// The arguments of `method` by name, in order: the case's, and the defaults of those that it leaves out.
std::vector<c10::IValue> ArgumentsByName(const torch::jit::Module& module, const std::string& method,
                                         const GoldenCase& golden);

}  // namespace modelport

#endif  // MODELPORT_TESTS_GOLDEN_CHECK_H_
