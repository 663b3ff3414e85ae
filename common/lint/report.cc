#include "common/lint/report.h"

#include "absl/strings/str_cat.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

std::string FormatModules(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths.front().empty() ? "the root module" : absl::StrCat("module ", paths.front());
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.empty() ? "the root" : path);
  return absl::StrCat(names.size(), " modules: ", FirstFew(names));
}

}  // namespace

std::string FormatFindings(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppend(&text, finding.rule, ", ", FormatModules(finding.modules), "\n");
    if (!finding.line.place.empty()) absl::StrAppend(&text, "  ", finding.line.place, ": ", finding.line.text, "\n");
    absl::StrAppend(&text, "  ", finding.message, "\n  cure: ", finding.cure, "\n\n");
  }
  return text;
}

std::string CountFindings(const std::vector<Finding>& findings) {
  if (findings.empty()) return "no findings";
  return absl::StrCat(findings.size(), findings.size() == 1 ? " finding" : " findings");
}

}  // namespace modelport
