#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/fixed_option_findings.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/lint/rules.h"

namespace modelport {

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

}  // namespace modelport
