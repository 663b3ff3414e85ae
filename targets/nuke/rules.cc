#include "targets/nuke/rules.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {
namespace {

bool IsTensor(const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::TensorType; }

// The line that computes the result of `function`, or else the last line that is known.
SourceLine LineOfResult(torch::jit::Function& function) {
  const auto graph = torch::jit::toGraphFunction(function).graph();
  SourceLine line = FindSourceLine(graph->outputs()[0]->node()->sourceRange());
  for (const torch::jit::Node* node : graph->nodes().reverse()) {
    if (!line.place.empty()) break;
    line = FindSourceLine(node->sourceRange());
  }
  return line;
}

void CheckInputs(const c10::FunctionSchema& schema, std::vector<Finding>& findings) {
  const std::vector<c10::Argument>& formals = schema.arguments();  // The first one is the module.
  if (formals.size() == 2 && IsTensor(formals[1])) return;
  std::vector<std::string> arguments;
  for (size_t i = 1; i < formals.size(); ++i) {
    arguments.push_back(absl::StrCat(formals[i].name(), ": ", formals[i].type()->annotation_str()));
  }
  findings.push_back(
      {.modules = {""},
       .message = absl::StrCat("forward takes ", arguments.empty() ? "nothing" : absl::StrJoin(arguments, ", "),
                               ", wants one Tensor"),
       .cure = "wrap it so that forward takes one Tensor [B, C, H, W]: several images go into its channels, "
               "numbers become int or float attributes, which the host offers as knobs"});
}

}  // namespace

void CheckBoolAttributes(const torch::jit::Module& module, std::vector<Finding>& findings) {
  const c10::ClassType& type = *module.type();
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    const std::string& name = type.getAttributeName(i);
    if (type.getAttribute(i)->kind() != c10::TypeKind::BoolType || name == "training") continue;
    findings.push_back({.modules = {""},
                        .message = absl::StrCat("attribute ", name, " is a bool, which knobs cannot set"),
                        .cure = absl::StrCat("make it an int: ", name, ": int = 0, and ask if self.", name, " != 0")});
  }
}

void CheckForward(const torch::jit::Module& module, std::vector<Finding>& findings) {
  torch::jit::Function* const forward = module.type()->findMethod("forward");
  if (forward == nullptr) {
    findings.push_back({.modules = {""},
                        .message = "the root has no forward",
                        .cure = "give it one that takes a Tensor and returns one"});
    return;
  }
  CheckInputs(forward->getSchema(), findings);
  const c10::Argument& result = forward->getSchema().returns()[0];
  if (IsTensor(result)) return;
  findings.push_back(
      {.modules = {""},
       .line = LineOfResult(*forward),
       .message = absl::StrCat("forward returns ", result.type()->annotation_str(), ", wants one Tensor"),
       .cure = "return one Tensor [B, C, H, W]; several go into its channels"});
}

absl::Span<const HostRule> NukeRules() {
  static constexpr HostRule rules[] = {{"one tensor", CheckForward}, {"bool attribute", CheckBoolAttributes}};
  return rules;
}

}  // namespace modelport
