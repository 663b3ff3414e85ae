#include "absl/strings/str_cat.h"
#include "common/lint/literal_findings.h"
#include "common/lint/operator_kinds.h"
#include "common/lint/rules.h"

namespace modelport {

void CheckDevices(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const LiteralPtr& literal : subject.trace.literals) {
    if (!literal->is_device || literal->kind != Literal::Kind::kWritten) continue;
    findings.push_back(
        LiteralFinding(*literal, absl::StrCat(DescribeLiteral(*literal), ", wherever the host runs the model")));
  }
  LiteralsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (TakesTwoDevices(step.name())) continue;
    const LiteralPtr literal = FindClash(step, &Fact::device);
    if (literal == nullptr || literal->kind == Literal::Kind::kWritten || !seen.Insert(*literal)) continue;
    findings.push_back(
        LiteralFinding(*literal, absl::StrCat(DescribeLiteral(*literal), "; ", DescribeStep(step),
                                              " gets it together with tensors on the device that the host chooses")));
  }
}

}  // namespace modelport
