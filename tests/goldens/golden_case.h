// Golden cases: outputs and inner stages of an upstream model, stored with the noise to expect.
#ifndef MODELPORT_TESTS_GOLDENS_GOLDEN_CASE_H_
#define MODELPORT_TESTS_GOLDENS_GOLDEN_CASE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace modelport {

struct GoldenStage {
  std::string name;     // "block.2"
  at::Tensor expected;  // What is stored: a slice of the upstream tensor, or all of it.
  std::string slice;    // As in common/torchscript/parity/compare_reference.h; empty: all of it.
  double max_abs = 0;   // Largest absolute element of the whole upstream tensor.
  // Upstream in float32 against upstream in float64; nullopt if it was not run in float64.
  absl::optional<double> noise = absl::nullopt;
};

struct GoldenCase {
  std::string name;   // "70x98_b2"
  std::string model;  // The variant.
  uint64_t seed = 0;  // Of the weights.
  // Whether the case is of an artifact that prepares images itself.
  bool with_preprocess = false;
  // Of the calls, by name: "x"; those left out have their defaults. "H" and "W" are the sides of the input.
  std::map<std::string, c10::IValue> arguments;
  std::map<std::string, at::Tensor> tensors;  // All that are stored.
  std::vector<GoldenStage> stages;

  const at::Tensor& input() const { return arguments.at("x").toTensor(); }
};

// All tensors of a .safetensors file.
absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(const std::string& path);

// Reads `json_path` and the .safetensors beside it.
absl::StatusOr<GoldenCase> ReadGoldenCase(const std::string& json_path);

// All cases of a folder, sorted; none if there is no such folder.
absl::StatusOr<std::vector<GoldenCase>> ReadGoldenCases(const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_TESTS_GOLDENS_GOLDEN_CASE_H_
