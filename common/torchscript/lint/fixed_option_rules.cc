// The rules about dtypes and devices that a file fixes.
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/facts.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/lint/step.h"

namespace modelport {
namespace {

// Collects the fixed options that have a finding already, since one for each is enough.
class FixedOptionsSeen {
 public:
  // Returns false if an equal option was inserted before.
  bool Insert(const FixedOption& option);

 private:
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
};

// "aten::zeros makes a tensor of float32, the default".
std::string DescribeFixedOption(const FixedOption& option) {
  switch (option.kind) {
    case FixedOption::Kind::kWritten:
      return absl::StrCat(option.call, option.is_device ? " is given the device " : " is given the dtype ",
                          option.value);
    case FixedOption::Kind::kDefault:
      return absl::StrCat(option.call, option.is_device ? " makes a tensor on the device " : " makes a tensor of ",
                          option.value, ", the default");
    case FixedOption::Kind::kConstant:
      return absl::StrCat("a tensor constant of the code ", option.is_device ? "stays on the device " : "stays ",
                          option.value);
    case FixedOption::Kind::kAttribute:
      return absl::StrCat("the tensor in attribute ", option.call, ", which is no buffer, ",
                          option.is_device ? "stays on the device " : "stays ", option.value);
  }
  return "";
}

// The cure: what to write instead of `option`.
std::string CureFixedOption(const FixedOption& option) {
  switch (option.kind) {
    case FixedOption::Kind::kWritten:
      return option.is_device ? "take the device of a tensor, x.device"
                              : "take the dtype of a tensor, x.dtype, or cast back with .to(x.dtype) before that";
    case FixedOption::Kind::kDefault:
      return option.is_device ? "give device=x.device" : "give dtype=x.dtype";
    case FixedOption::Kind::kConstant:
      return "keep it as a buffer or parameter, which torch.jit.freeze does not; hosts convert and move those";
    case FixedOption::Kind::kAttribute:
      return "register it as a buffer, which hosts convert and move with the module";
  }
  return "";
}

bool FixedOptionsSeen::Insert(const FixedOption& option) {
  return seen_.emplace(option.module, option.line.place, option.call, option.value).second;
}

// "aten::linear at net.py:12".
std::string DescribeStep(const Step& step) {
  const std::string place = FindSourceLine(step.node->sourceRange()).place;
  return absl::StrCat(step.name(), place.empty() ? "" : " at ", place);
}

// A finding about `option`, with the option's module, line and cure.
Finding FixedOptionFinding(const FixedOption& option, std::string message) {
  return {
      .modules = {option.module}, .line = option.line, .message = std::move(message), .cure = CureFixedOption(option)};
}

bool TakesModelDtype(const Step& step) {
  const std::vector<Operand> operands = TensorOperands(step);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.fact->dtype.model && operand.fact->dtype.fixed == nullptr;
  });
}

Finding NoKernel(const Step& step) {
  return {.modules = {step.module},
          .line = FindSourceLine(step.node->sourceRange()),
          .message = absl::StrCat(step.name(), " does not take float16"),
          .cure = "cast to float32 for it and back: y = f(x.to(torch.float32)).to(x.dtype)"};
}

bool IsFloat64(const at::Tensor& tensor) { return tensor.dim() > 0 && tensor.scalar_type() == c10::kDouble; }

// Whether `value` is a float64 tensor, or a list, dictionary or tuple that contains one.
bool HoldsFloat64(const c10::IValue& value) {
  if (value.isModule()) return false;
  const std::vector<at::Tensor> tensors = HeldTensors(value);
  return std::any_of(tensors.begin(), tensors.end(), IsFloat64);
}

}  // namespace

void CheckDevices(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const FixedOptionPtr& option : subject.trace.fixed_options) {
    if (!option->is_device || option->kind != FixedOption::Kind::kWritten) continue;
    findings.push_back(
        FixedOptionFinding(*option, absl::StrCat(DescribeFixedOption(*option), ", wherever the host runs the model")));
  }
  FixedOptionsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (TakesTwoDevices(step.name())) continue;
    const FixedOptionPtr option = FindClash(step, &Fact::device);
    if (option == nullptr || option->kind == FixedOption::Kind::kWritten || !seen.Insert(*option)) continue;
    findings.push_back(FixedOptionFinding(
        *option, absl::StrCat(DescribeFixedOption(*option), "; ", DescribeStep(step),
                              " gets it together with tensors on the device that the host chooses")));
  }
}

void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings) {
  FixedOptionsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (LacksHalf(step.name()) && TakesModelDtype(step)) findings.push_back(NoKernel(step));
    if (!WantsOneDtype(step.name())) continue;
    const FixedOptionPtr option = FindClash(step, &Fact::dtype);
    if (option == nullptr || !seen.Insert(*option)) continue;
    findings.push_back(FixedOptionFinding(
        *option, absl::StrCat(DescribeFixedOption(*option), "; ", DescribeStep(step),
                              " refuses it together with tensors of the precision that the host chooses")));
  }
}

void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    for (const auto& attribute : module.value.named_attributes(/*recurse=*/false)) {
      if (!HoldsFloat64(attribute.value)) continue;
      findings.push_back({.modules = {module.name},
                          .message = absl::StrCat(attribute.value.isTensor() ? "the tensor " : "a tensor in ",
                                                  attribute.name, " is float64"),
                          .cure = "convert it to float32 before saving"});
    }
  }
  for (const FixedOptionPtr& option : subject.trace.fixed_options) {
    if (option->value != "float64" || option->kind == FixedOption::Kind::kAttribute) continue;
    findings.push_back(FixedOptionFinding(*option, DescribeFixedOption(*option)));
    if (option->kind != FixedOption::Kind::kConstant)
      findings.back().cure = "use float32, or the dtype of a tensor, x.dtype";
  }
}

}  // namespace modelport
