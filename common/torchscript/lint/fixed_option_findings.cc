#include "common/torchscript/lint/fixed_option_findings.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace modelport {

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

std::string DescribeStep(const Step& step) {
  const std::string place = FindSourceLine(step.node->sourceRange()).place;
  return absl::StrCat(step.name(), place.empty() ? "" : " at ", place);
}

Finding FixedOptionFinding(const FixedOption& option, std::string message) {
  return {
      .modules = {option.module}, .line = option.line, .message = std::move(message), .cure = CureFixedOption(option)};
}

}  // namespace modelport
