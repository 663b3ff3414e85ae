#include "common/torchscript/lint/finding.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"

namespace modelport {

std::string FormatFindings(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppend(&text, finding.rule, ", ", DescribeModules(finding.modules), "\n");
    if (!finding.line.place.empty()) {
      absl::StrAppend(&text, "  ", Brief(finding.line.place), ": ", Brief(finding.line.text), "\n");
    }
    absl::StrAppend(&text, "  ", Brief(finding.message, 2000), "\n  cure: ", Printable(finding.cure), "\n\n");
  }
  return text;
}

std::string CountFindings(const std::vector<Finding>& findings) {
  if (findings.empty()) return "no findings";
  return absl::StrCat(findings.size(), findings.size() == 1 ? " finding" : " findings");
}

}  // namespace modelport
