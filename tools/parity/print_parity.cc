#include "tools/parity/print_parity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "nlohmann/json.hpp"
#include "tools/command/flags.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 12;  // Rows of stages that fail.

// "" for the module itself is hard to see in a report.
std::string ModuleName(const std::string& path) { return path.empty() ? "the model itself" : path; }

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
  const std::string shape = absl::StrCat(ShapeString(tensor.shape), tensor.own_shape.empty() ? "" : " as ",
                                         tensor.own_shape.empty() ? "" : ShapeString(tensor.own_shape));
  table.AddRow({"  " + verdict, tensor.name, shape, Number(m.max_abs), Number(m.mean_abs), Number(m.relative()),
                absl::StrFormat("%.6f", m.cosine), std::isinf(m.snr) ? "equal" : absl::StrFormat("%.0f dB", m.snr),
                Number(tensor.tolerance), tensor.obstacle});
}

// How much of its tolerance a tensor that passes takes.
double Used(const ComparedTensor& tensor) {
  return tensor.measures.max_abs == 0 ? 0 : tensor.measures.max_abs / tensor.tolerance;
}

// All but the inputs that pass of calls whose result has a row.
std::vector<const ComparedTensor*> AllRows(const ReferenceComparison& comparison) {
  std::set<std::string> calls;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (!tensor.point.is_result && !tensor.is_input()) calls.insert(CallName(tensor.point.stage));
  }
  std::vector<const ComparedTensor*> rows;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.is_input() && tensor.passed() && calls.count(CallName(tensor.point.stage)) > 0) continue;
    rows.push_back(&tensor);
  }
  return rows;
}

// The first stages that fail, or if none does the one that is nearest to its tolerance, and the results.
std::vector<const ComparedTensor*> FirstRows(const ReferenceComparison& comparison) {
  std::vector<const ComparedTensor*> rows, results;
  const ComparedTensor* nearest = nullptr;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.point.is_result) {
      results.push_back(&tensor);
    } else if (!tensor.passed()) {
      if (rows.size() < kShown) rows.push_back(&tensor);
    } else if (nearest == nullptr || Used(tensor) > Used(*nearest)) {
      nearest = &tensor;
    }
  }
  if (rows.empty() && nearest != nullptr) rows.push_back(nearest);
  rows.insert(rows.end(), results.begin(), results.end());
  return rows;
}

std::string StageTable(const ReferenceComparison& comparison, Rows rows) {
  Table table;
  table.AddRow({"  verdict", "stage", "shape", "max diff", "mean diff", "relative", "cosine", "SNR", "tolerance"});
  for (const ComparedTensor* const tensor : rows == Rows::kAll ? AllRows(comparison) : FirstRows(comparison)) {
    AddRow(*tensor, table);
  }
  return table.ToString();
}

// How many pass, and how to see those that have no row.
std::string CountText(const ReferenceComparison& comparison, Rows rows) {
  const size_t count = comparison.tensors.size();
  const size_t passed = std::count_if(comparison.tensors.begin(), comparison.tensors.end(),
                                      [](const ComparedTensor& tensor) { return tensor.passed(); });
  std::string text = absl::StrCat(passed, " of ", count, " tensors pass");
  if (rows == Rows::kAll) return text + "\n";
  const char* const what = passed == count            ? "the stage that is nearest to its tolerance"
                           : count - passed <= kShown ? "those that fail"
                                                      : "the first that fail";
  return absl::StrCat(text, "; above are ", what, " and the results, --all prints every one\n");
}

std::string SettingsText(const SettingsComparison& settings, Rows rows) {
  std::vector<std::string> lines;
  for (const SettingDifference& setting : settings.differences) {
    lines.push_back(absl::StrCat(Printable(ModuleName(setting.path)), ": ", Printable(setting.name), " is ",
                                 Printable(setting.actual), ", the reference has ", Printable(setting.expected)));
  }
  return absl::StrCat("configuration: ", settings.equal, " settings equal, ", lines.size(), " different",
                      rows == Rows::kFirst ? FirstFewLines(lines, "  ")
                      : lines.empty()      ? ""
                                           : absl::StrCat("\n  ", absl::StrJoin(lines, "\n  ")),
                      "\n");
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
  if (!tensor.own_shape.empty()) json["own_shape"] = tensor.own_shape;
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

constexpr size_t kShownLosses = 12;

std::string LossTable(const std::vector<ComparedTensor>& losses, Rows rows) {
  const size_t shown = rows == Rows::kAll ? losses.size() : std::min(losses.size(), kShownLosses);
  Table table;
  table.AddRow({"  stage", "relative loss", "SNR"});
  for (size_t i = 0; i < shown; ++i) {
    const Measures& measures = losses[i].measures;
    const bool is_compared = losses[i].obstacle.empty();
    table.AddRow({absl::StrCat("  ", losses[i].name, losses[i].point.is_result ? ", between its modules" : ""),
                  is_compared ? absl::StrFormat("%.3g", measures.relative()) : losses[i].obstacle,
                  !is_compared               ? ""
                  : std::isinf(measures.snr) ? "equal"
                                             : absl::StrFormat("%.0f dB", measures.snr)});
  }
  return absl::StrCat(table.ToString(), losses.size() > shown
                                            ? absl::StrCat("  +", losses.size() - shown, " more; --all prints them\n")
                                            : "");
}

}  // namespace

std::string ParityText(const ParityReport& report, Rows rows) {
  const ReferenceComparison& comparison = report.comparison;
  std::string text = absl::StrCat(Printable(report.model), " against ", Printable(report.reference), "\n\n",
                                  SettingsText(report.settings, rows), "\n", StageTable(comparison, rows), "\n",
                                  CountText(comparison, rows));
  if (!comparison.not_computed.empty()) {
    absl::StrAppend(&text, "not compared, since the model does not pass them: ", FirstFew(comparison.not_computed),
                    "\n");
  }
  if (!comparison.unexpected.empty()) {
    absl::StrAppend(&text, "not compared, since the reference lacks them: ", FirstFew(comparison.unexpected), "\n");
  }
  if (!comparison.other_calls.empty()) {
    absl::StrAppend(&text, "not compared, since the model calls them more or less often:",
                    FirstFewLines(comparison.other_calls, "  "), "\n");
  }
  if (!comparison.other_forms.empty()) {
    std::vector<std::string> lines;
    for (const auto& [name, form] : comparison.other_forms) lines.push_back(absl::StrCat(name, ": ", form));
    absl::StrAppend(
        &text, "in another form between modules, from which the same outputs come:", FirstFewLines(lines, "  "), "\n");
  }
  const size_t reshaped = std::count_if(comparison.tensors.begin(), comparison.tensors.end(),
                                        [](const ComparedTensor& tensor) { return !tensor.own_shape.empty(); });
  if (reshaped > 0) {
    absl::StrAppend(&text, "with the same elements in another shape: ", Counted(reshaped, "tensor"), "\n");
  }
  if (!report.narrowing.empty()) {
    absl::StrAppend(
        &text, "casts to fewer bits, whose rounding is the model's own:", FirstFewLines(report.narrowing, "  "), "\n");
  }
  if (report.divergence) {
    absl::StrAppend(&text, "first divergence: ", Printable(report.divergence->stage), "\n");
    if (report.divergence->module) {
      absl::StrAppend(&text, "deepest module whose inputs agree and whose output does not: ",
                      Printable(ModuleName(*report.divergence->module)), "\n");
    }
  }
  if (report.suspects) absl::StrAppend(&text, SuspectsText(*report.suspects));
  if (!report.unjudged.empty()) {
    std::vector<std::string> modules;
    for (const std::string& module : report.unjudged) modules.push_back(ModuleName(module));
    absl::StrAppend(&text,
                    "not judged, since the reference has only a part of what they work on, or in another shape: ",
                    FirstFew(modules), "\n");
  }
  return text;
}

std::string ReductionText(const Stage& call, const SavedReduction& saved) {
  const std::string name = call.path.empty() ? ModuleName("") : StageName(call);
  return absl::StrCat("the smallest of them is ", Printable(name), "; alone, ",
                      saved.divergence
                          ? absl::StrCat("it diverges at ", Printable(saved.divergence->stage))
                          : "all its tensors pass: what is wrong with it shows in its settings or in another call",
                      ":\n  ",
                      ToolCall("parity", absl::StrCat(ShellFlag("artifact", saved.module_path), " ",
                                                      ShellFlag("reference", saved.reference_path))),
                      "\n");
}

std::string ParityJson(const ParityReport& report) {
  Json json = {{"model", report.model},
               {"reference", report.reference},
               {"passed", report.passed()},
               {"settings", SettingsJson(report.settings)},
               {"tensors", Json::array()},
               {"not_computed", report.comparison.not_computed},
               {"unexpected", report.comparison.unexpected},
               {"other_calls", report.comparison.other_calls},
               {"other_forms", report.comparison.other_forms},
               {"narrowing_casts", report.narrowing}};
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
    json["not_judged"] = report.unjudged;
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string PrecisionText(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed, double error, Rows rows) {
  std::string text = absl::StrCat(Printable(model), " in ", dtype, "\n\nwhat each module loses on right input\n",
                                  LossTable(losses, rows), "\n");
  if (mixed.error > error) {
    absl::StrAppend(&text, absl::StrFormat("an error of %g cannot be kept: it is %.3g with all %d modules in float32\n",
                                           error, mixed.error, mixed.kept.size()));
  } else if (mixed.kept.empty()) {
    absl::StrAppend(
        &text, absl::StrFormat("all may compute in %s: error %.3g, at most %g asked for\n", dtype, mixed.error, error));
  } else {
    absl::StrAppend(&text,
                    absl::StrFormat("must stay in float32 for an error of %g, with them %.3g:\n", error, mixed.error));
    for (const std::string& path : mixed.kept) absl::StrAppend(&text, "  ", Printable(path), "\n");
  }
  absl::StrAppend(&text,
                  absl::StrFormat("cost: %.1f %% of the weights in float32; found in %d runs\n",
                                  mixed.elements == 0 ? 0 : 100.0 * mixed.kept_elements / mixed.elements, mixed.runs));
  return text;
}

std::string PrecisionJson(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed) {
  Json json = {{"model", std::string(model)}, {"dtype", std::string(dtype)},
               {"losses", Json::array()},     {"error", FiniteJson(mixed.error)},
               {"float32", mixed.kept},       {"float32_elements", mixed.kept_elements},
               {"elements", mixed.elements},  {"runs", mixed.runs}};
  for (const ComparedTensor& loss : losses) json["losses"].push_back(TensorJson(loss));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace modelport
