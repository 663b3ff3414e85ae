#include <torch/csrc/jit/api/function_impl.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/lint/rules.h"

namespace modelport {
namespace {

bool IsTensor(const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::TensorType; }

// The last line of the code of `function`: its return, as a rule.
SourceLine LastLine(torch::jit::Function& function) {
  SourceLine line;
  for (const torch::jit::Node* node : torch::jit::toGraphFunction(function).graph()->nodes().reverse()) {
    line = FindSourceLine(node->sourceRange());
    if (!line.place.empty()) break;
  }
  return line;
}

void CheckInputs(const c10::FunctionSchema& schema, std::vector<Finding>& findings) {
  const std::vector<c10::Argument>& arguments = schema.arguments();  // The first one is the module.
  if (arguments.size() < 2 || !IsTensor(arguments[1])) {
    findings.push_back({"",
                        {""},
                        {},
                        arguments.size() < 2 ? "forward takes nothing, wants one Tensor"
                                             : absl::StrCat("forward takes ", arguments[1].name(), ": ",
                                                            arguments[1].type()->annotation_str(), ", wants a Tensor"),
                        "wrap the module in one whose forward takes the image as a Tensor [B, C, H, W]"});
  }
  for (size_t i = 2; i < arguments.size(); ++i) {
    const c10::Argument& argument = arguments[i];
    const bool has_default = argument.default_value().has_value();
    findings.push_back(
        {"",
         {""},
         {},
         absl::StrCat("forward takes a further argument, ", argument.name(), ": ", argument.type()->annotation_str(),
                      has_default ? ", which the host leaves at its default" : ", which the host does not give"),
         IsTensor(argument) ? "put both images into one Tensor by their channels, and split it in forward"
                            : "make it an int or float attribute, which the host can offer as a knob, or drop it"});
  }
}

}  // namespace

void CheckForward(const LintSubject& subject, std::vector<Finding>& findings) {
  torch::jit::Function* const forward = subject.module.type()->findMethod("forward");
  if (forward == nullptr) {
    findings.push_back({"", {""}, {}, "the root has no forward", "give it one that takes a Tensor and returns one"});
    return;
  }
  CheckInputs(forward->getSchema(), findings);
  const c10::Argument& result = forward->getSchema().returns()[0];
  if (IsTensor(result)) return;
  findings.push_back({"",
                      {""},
                      LastLine(*forward),
                      absl::StrCat("forward returns ", result.type()->annotation_str(), ", wants one Tensor"),
                      "return one Tensor [B, C, H, W]; several go into its channels"});
}

}  // namespace modelport
