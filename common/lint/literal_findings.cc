#include "common/lint/literal_findings.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace modelport {

std::string DescribeLiteral(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kWritten:
      return absl::StrCat(literal.call, literal.is_device ? " is given the device " : " is given the dtype ",
                          literal.value);
    case Literal::Kind::kDefault:
      return absl::StrCat(literal.call, literal.is_device ? " makes a tensor on the device " : " makes a tensor of ",
                          literal.value, ", the default");
    case Literal::Kind::kConstant:
      return absl::StrCat("a tensor constant of the code ", literal.is_device ? "stays on the device " : "stays ",
                          literal.value);
    case Literal::Kind::kAttribute:
      return absl::StrCat("the tensor in attribute ", literal.call, ", which is no buffer, ",
                          literal.is_device ? "stays on the device " : "stays ", literal.value);
  }
  return "";
}

std::string CureLiteral(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kWritten:
      return literal.is_device ? "take the device of a tensor, x.device"
                               : "take the dtype of a tensor, x.dtype, or cast back with .to(x.dtype) before that";
    case Literal::Kind::kDefault:
      return literal.is_device ? "give device=x.device" : "give dtype=x.dtype";
    case Literal::Kind::kConstant:
      return "keep it as a buffer or parameter, which torch.jit.freeze does not; hosts convert and move those";
    case Literal::Kind::kAttribute:
      return "register it as a buffer, which hosts convert and move with the module";
  }
  return "";
}

bool LiteralsSeen::Insert(const Literal& literal) {
  return seen_.emplace(literal.module, literal.line.place, literal.call, literal.value).second;
}

std::string DescribeStep(const Step& step) {
  const std::string place = FindSourceLine(step.node->sourceRange()).place;
  return absl::StrCat(step.name(), place.empty() ? "" : " at ", place);
}

Finding LiteralFinding(const Literal& literal, std::string message) {
  return {"", {literal.module}, literal.line, std::move(message), CureLiteral(literal)};
}

}  // namespace modelport
