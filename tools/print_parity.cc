#include "tools/print_parity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

bool IsInput(const ComparedTensor& tensor) {
  return !tensor.point.is_result && tensor.point.stage.side == Stage::Side::kInput;
}

// "blocks.2.forward [1]": the call that a stage is of.
std::string CallName(Stage stage) {
  stage.side = Stage::Side::kOutput;
  stage.argument = 0;
  stage.element.clear();
  return StageName(stage);
}

std::string Number(double value) { return absl::StrFormat("%.3g", value); }

void AddRow(const ComparedTensor& tensor, Table& table) {
  const std::string verdict = tensor.passed() ? "passed" : "FAILED";
  if (!tensor.obstacle.empty() && tensor.measures.nan + tensor.measures.infinite == 0) {
    table.AddRow({"  " + verdict, tensor.name, ShapeString(tensor.shape), tensor.obstacle});
    return;
  }
  const Measures& m = tensor.measures;
  table.AddRow({"  " + verdict, tensor.name, ShapeString(tensor.shape), Number(m.max_abs), Number(m.mean_abs),
                Number(m.relative()), absl::StrFormat("%.6f", m.cosine),
                std::isinf(m.snr) ? "equal" : absl::StrFormat("%.0f dB", m.snr), Number(tensor.tolerance),
                tensor.obstacle});
}

std::string StageTable(const ReferenceComparison& comparison) {
  std::set<std::string> calls;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (!tensor.point.is_result && !IsInput(tensor)) calls.insert(CallName(tensor.point.stage));
  }
  Table table;
  table.AddRow({"  verdict", "stage", "shape", "max diff", "mean diff", "relative", "cosine", "SNR", "tolerance"});
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (IsInput(tensor) && tensor.passed() && calls.count(CallName(tensor.point.stage)) > 0) continue;
    AddRow(tensor, table);
  }
  return table.ToString();
}

std::string SettingsText(const SettingsComparison& settings) {
  std::string text =
      absl::StrCat("configuration: ", settings.equal, " settings equal, ", settings.differences.size(), " different\n");
  for (const SettingDifference& setting : settings.differences) {
    absl::StrAppend(&text, "  ", Printable(ModuleName(setting.path)), ": ", Printable(setting.name), " is ",
                    Printable(setting.actual), ", the reference has ", Printable(setting.expected), "\n");
  }
  return text;
}

std::string SuspectsText(const std::vector<Suspect>& suspects) {
  if (suspects.empty()) return "wrong on right input: none\n";
  std::string text = "wrong on right input:\n";
  for (const Suspect& suspect : suspects) {
    absl::StrAppend(&text, "  ", Printable(ModuleName(suspect.path)),
                    suspect.inputs_are_known ? "" : ", or the code that computes its inputs, which the reference lacks",
                    FirstFewLines(suspect.evidence, "    "), "\n");
  }
  return text;
}

Json FiniteJson(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json TensorJson(const ComparedTensor& tensor) {
  const Measures& m = tensor.measures;
  Json json = {{"name", tensor.name}, {"shape", tensor.shape}, {"passed", tensor.passed()}};
  if (!tensor.obstacle.empty()) json["obstacle"] = tensor.obstacle;
  for (const auto& [name, value] :
       {std::pair("max_abs", m.max_abs), std::pair("mean_abs", m.mean_abs), std::pair("relative", m.relative()),
        std::pair("cosine", m.cosine), std::pair("snr_db", m.snr), std::pair("tolerance", tensor.tolerance)}) {
    json[name] = FiniteJson(value);
  }
  json["nan"] = m.nan;
  json["infinite"] = m.infinite;
  return json;
}

Json SettingsJson(const SettingsComparison& settings) {
  Json json = {{"equal", settings.equal}, {"different", Json::array()}};
  for (const SettingDifference& setting : settings.differences) {
    json["different"].push_back(
        {{"module", setting.path}, {"name", setting.name}, {"value", setting.actual}, {"reference", setting.expected}});
  }
  return json;
}

}  // namespace

std::string ModuleName(const std::string& path) { return path.empty() ? "the model itself" : path; }

std::string ParityText(const ParityReport& report) {
  const ReferenceComparison& comparison = report.comparison;
  std::string text = absl::StrCat(Printable(report.model), " against ", Printable(report.reference), "\n\n",
                                  SettingsText(report.settings), "\n", StageTable(comparison), "\n");
  const auto passed = std::count_if(comparison.tensors.begin(), comparison.tensors.end(),
                                    [](const ComparedTensor& tensor) { return tensor.passed(); });
  absl::StrAppend(&text, passed, " of ", comparison.tensors.size(), " tensors pass\n");
  if (!comparison.not_computed.empty()) {
    absl::StrAppend(&text, "not compared, since the model does not pass them: ", FirstFew(comparison.not_computed),
                    "\n");
  }
  if (!comparison.unexpected.empty()) {
    absl::StrAppend(&text, "not compared, since the reference lacks them: ", FirstFew(comparison.unexpected), "\n");
  }
  if (report.divergence) {
    absl::StrAppend(&text, "first divergence: ", Printable(report.divergence->stage), "\n");
    if (report.divergence->module) {
      absl::StrAppend(&text, "deepest module whose inputs agree and whose output does not: ",
                      Printable(ModuleName(*report.divergence->module)), "\n");
    }
  }
  if (report.suspects) absl::StrAppend(&text, SuspectsText(*report.suspects));
  return text;
}

std::string ParityJson(const ParityReport& report) {
  Json json = {{"model", report.model},
               {"reference", report.reference},
               {"passed", report.passed()},
               {"settings", SettingsJson(report.settings)},
               {"tensors", Json::array()},
               {"not_computed", report.comparison.not_computed},
               {"unexpected", report.comparison.unexpected}};
  for (const ComparedTensor& tensor : report.comparison.tensors) json["tensors"].push_back(TensorJson(tensor));
  if (report.divergence) {
    json["first_divergence"] = report.divergence->stage;
    if (report.divergence->module) json["deepest_module"] = *report.divergence->module;
  }
  if (report.suspects) {
    json["wrong_on_right_input"] = Json::array();
    for (const Suspect& suspect : *report.suspects) {
      json["wrong_on_right_input"].push_back(
          {{"module", suspect.path}, {"evidence", suspect.evidence}, {"inputs_are_known", suspect.inputs_are_known}});
    }
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace modelport
