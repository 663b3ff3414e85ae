// Captures what flows through named points of a forward pass.
#ifndef MODELPORT_COMMON_PARITY_CAPTURE_H_
#define MODELPORT_COMMON_PARITY_CAPTURE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// A stage: a call of a submodule's method, and which side of it is of interest.
struct Stage {
  std::string path;  // Of the submodule, "" for the module itself.
  std::string method = "forward";
  enum class Side { kOutput, kInput } side = Side::kOutput;  // The result, or the first argument.
};

// Parses "blocks.2" (the output of a submodule's forward), "pretrained.prepare_tokens()" (the result of a method, "()"
// of the module itself: "prepare_tokens()") and "input of head.conv" (the first argument of a forward).
absl::StatusOr<Stage> ParseStage(absl::string_view text);

// A method's result, and the values that passed each stage meanwhile: captures[i] has one value for every call of
// stages[i], in order.
struct Captured {
  c10::IValue result;
  std::vector<std::vector<c10::IValue>> captures;
};

// Runs `method` of `module` and captures `stages`. The module and its outputs stay as they are: a copy of its graph is
// run.
//   NotFound  nothing of that path and method is called
absl::StatusOr<Captured> RunAndCapture(const torch::jit::Module& module, const std::string& method,
                                       const std::vector<c10::IValue>& inputs, const std::vector<Stage>& stages);

}  // namespace modelport

#endif  // MODELPORT_COMMON_PARITY_CAPTURE_H_
