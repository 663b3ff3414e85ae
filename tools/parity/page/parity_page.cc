#include "tools/parity/page/parity_page.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"
#include "common/text/embedded_file.h"
#include "common/text/first_few.h"
#include "common/text/template.h"
#include "tools/parity/page/curve.h"
#include "tools/parity/page/pictures.h"
#include "tools/parity/page/stage_tree.h"
#include "tools/parity/page/templates.h"

namespace modelport {
namespace {

std::string ModuleName(const std::string& path) { return path.empty() ? "the model itself" : path; }

// What is wrong with a module, in brief.
std::string Evidence(const Suspect& suspect) {
  constexpr size_t kShown = 3;
  const std::vector<std::string>& all = suspect.evidence;
  const size_t shown = std::min(all.size(), kShown);
  return absl::StrCat(absl::StrJoin(all.begin(), all.begin() + shown, "; "),
                      all.size() > shown ? absl::StrCat("; +", all.size() - shown, " more") : "");
}

TemplateData Facts(const ParityReport& report) {
  TemplateData page;
  const std::vector<ComparedTensor>& tensors = report.comparison.tensors;
  const auto passed =
      std::count_if(tensors.begin(), tensors.end(), [](const ComparedTensor& tensor) { return tensor.passed(); });
  page.values = {{"model", report.model},
                 {"reference", report.reference},
                 {"passed", absl::StrCat(passed)},
                 {"count", absl::StrCat(tensors.size())},
                 {"equal_settings", absl::StrCat(report.settings.equal)},
                 {"different_settings", absl::StrCat(report.settings.differences.size())},
                 {"not_computed", FirstFew(report.comparison.not_computed)}};
  page.lists["is_equal"] = KeepIf(report.passed());
  page.lists["differs"] = KeepIf(!report.passed());
  page.lists["some_not_computed"] = KeepIf(!report.comparison.not_computed.empty());
  page.lists["some_settings"] = KeepIf(!report.settings.differences.empty());
  for (const SettingDifference& setting : report.settings.differences) {
    page.lists["settings"].push_back({{"path", ModuleName(setting.path)},
                                      {"name", setting.name},
                                      {"value", setting.actual},
                                      {"expected", setting.expected}});
  }
  page.lists["diverges"] = KeepIf(report.divergence.has_value());
  page.lists["has_deepest"] = KeepIf(report.divergence && report.divergence->module);
  page.values["divergence"] = report.divergence ? report.divergence->stage : "";
  page.values["deepest"] = report.divergence && report.divergence->module ? ModuleName(*report.divergence->module) : "";
  page.lists["some_suspects"] = KeepIf(report.suspects && !report.suspects->empty());
  for (const Suspect& suspect : report.suspects.value_or(std::vector<Suspect>())) {
    page.lists["suspects"].push_back({{"suspect", ModuleName(suspect.path)}, {"evidence", Evidence(suspect)}});
  }
  return page;
}

// The module that the page shows first.
std::string FirstModule(const ParityReport& report) {
  if (!report.divergence) return "";
  if (report.divergence->module) return *report.divergence->module;
  for (const ComparedTensor& tensor : report.comparison.tensors) {
    if (!tensor.passed()) return tensor.point.stage.path;
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> ParityPage(const ParityReport& report, const Reference& reference) {
  TemplateData page = Facts(report);
  page.lists.try_emplace("settings");
  page.lists.try_emplace("suspects");
  page.verbatim["curve"] = CurveHtml(report.comparison.tensors);
  page.verbatim["tree"] = StageTreeHtml(report.comparison.tensors, FirstModule(report));
  ASSIGN_OR_RETURN(page.verbatim["pictures"], PicturesHtml(report.comparison, reference));
  page.lists["some_pictures"] = KeepIf(!page.verbatim["pictures"].empty());
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(ParityTemplates(), "page.html"));
  return FillTemplate(text, page, EscapeHtml);
}

}  // namespace modelport
