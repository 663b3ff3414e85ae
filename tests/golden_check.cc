#include "tests/golden_check.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/module_tree/expression.h"
#include "common/parity/capture.h"
#include "common/parity/measures.h"
#include "common/parity/slice.h"
#include "common/parity/stage.h"
#include "common/script/ivalue.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// A row of the table with its placeholders replaced.
struct Place {
  std::string call;
  std::string stage;
  std::string element;
};

// The names of the stored tensors among a call's arguments.
absl::StatusOr<std::vector<std::string>> StoredArguments(const std::string& call) {
  std::vector<std::string> names;
  if (!absl::EndsWith(call, ")")) return names;
  ASSIGN_OR_RETURN(const Call parsed, ParseCall(call));
  for (const Expression& argument : parsed.positional) {
    ASSIGN_OR_RETURN(const Value value, argument.Evaluate({}));
    if (const auto* name = std::get_if<std::string>(&value)) names.push_back(*name);
  }
  return names;
}

// Whether the case has every stored tensor of the call.
absl::StatusOr<bool> CanMake(const std::string& call, const GoldenCase& golden) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, StoredArguments(call));
  return std::all_of(names.begin(), names.end(), [&](const auto& name) { return golden.tensors.count(name) > 0; });
}

// The first row for `stage` of `owners`: the family, and the type of the model's root.
absl::StatusOr<Place> Find(const std::vector<StageRow>& table, const std::vector<std::string>& owners,
                           const GoldenCase& golden, const std::string& stage) {
  for (const StageRow& row : table) {
    if (std::find(owners.begin(), owners.end(), row.owner) == owners.end()) continue;
    const auto bindings = row.golden.Match(stage);
    if (!bindings) continue;
    Place place{row.call, row.stage, row.element};
    for (const auto& [name, value] : *bindings) {
      for (std::string* text : {&place.call, &place.stage, &place.element}) {
        *text = absl::StrReplaceAll(*text, {{absl::StrCat("{", name, "}"), value}});
      }
    }
    ASSIGN_OR_RETURN(const bool fits, CanMake(place.call, golden));
    if (fits) return place;
  }
  return absl::NotFoundError(
      absl::StrCat("the table of stages has no row for ", absl::StrJoin(owners, ", "), " ", stage));
}

// A call of a method, made with the case's arguments.
struct GoldenCall {
  std::string method;
  std::vector<c10::IValue> arguments;
};

absl::StatusOr<GoldenCall> MakeCall(const torch::jit::Module& module, const std::string& text,
                                    const GoldenCase& golden) {
  if (!absl::EndsWith(text, ")")) return GoldenCall{text, ArgumentsByName(module, text, golden)};
  ASSIGN_OR_RETURN(const Call parsed, ParseCall(text));
  GoldenCall call{parsed.type, {}};
  for (const Expression& argument : parsed.positional) {
    ASSIGN_OR_RETURN(const Value value, argument.Evaluate({}));
    if (const auto* name = std::get_if<TypeName>(&value)) {
      const auto given = golden.arguments.find(name->name);
      call.arguments.push_back(given == golden.arguments.end() ? c10::IValue() : given->second);
    } else if (const auto* tensor = std::get_if<std::string>(&value)) {
      call.arguments.push_back(golden.tensors.at(*tensor));
    } else {
      call.arguments.push_back(ToIValue(value));
    }
  }
  return call;
}

// The name of a row's tensor in what CaptureTensors returns.
absl::StatusOr<std::string> PlaceName(const Place& place) {
  if (place.stage.empty()) return place.element.empty() ? "output" : absl::StrCat("output.", place.element);
  ASSIGN_OR_RETURN(Stage stage, ParseStage(place.stage));
  stage.element = place.element;
  return StageName(stage);
}

// Relative to each element. Focal lengths of fields of view below 0.03 are left out, since they grow without bound.
double IntrinsicsDifference(const at::Tensor& expected, const at::Tensor& actual, const GoldenCase& golden) {
  const at::Tensor e = expected.to(at::kDouble), a = actual.to(at::kDouble);
  at::Tensor difference = (a - e).abs() / e.abs().clamp_min(1e-12);
  const at::Tensor x = golden.input();
  for (const auto& [row, side] : {std::pair(0, x.size(-1)), std::pair(1, x.size(-2))}) {
    const at::Tensor focal = e.select(-1, row).select(-1, row);
    const at::Tensor is_dead = (2 * (side / 2.0 / focal).atan()).le(0.03);
    difference.select(-1, row).select(-1, row).masked_fill_(is_dead, 0);
  }
  return difference.max().item<double>();
}

StageResult Compare(const GoldenCase& golden, const GoldenStage& stage, const at::Tensor& actual) {
  StageResult result{absl::StrCat(golden.model, "/", golden.name, " ", stage.name), 0, stage.max_abs, stage.noise};
  const at::Tensor& expected = stage.expected;
  if (expected.sizes() != actual.sizes()) {
    result.difference = std::numeric_limits<double>::infinity();
  } else if (expected.scalar_type() == at::kBool) {
    // Rounding decides comparisons of nearly equal values: a thousandth of the pixels may differ.
    result.difference = expected.ne(actual).to(at::kDouble).mean().item<double>();
    result.max_abs = 0;
    result.noise = 1e-3 / 4;
  } else if (absl::EndsWith(stage.name, "intrinsics") && !absl::EndsWith(golden.name, "_raypose")) {
    result.difference = IntrinsicsDifference(expected, actual, golden);
    result.max_abs = 0;
    result.noise = 5e-5 / 4;
  } else {
    result.difference = Measure(expected, actual).max_abs;
    if (!expected.is_floating_point()) result.max_abs = 0, result.noise = 0;
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<StageRow>> ReadStageTable(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::vector<StageRow> rows;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() != 5) return absl::InvalidArgumentError(absl::StrCat(path, ": wants 5 columns: ", line));
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    ASSIGN_OR_RETURN(KeyPattern golden, KeyPattern::Parse(cells[1]));
    rows.push_back({cells[0], std::move(golden), cells[2], cells[3], cells[4]});
  }
  return rows;
}

std::vector<c10::IValue> ArgumentsByName(const torch::jit::Module& module, const std::string& method,
                                         const GoldenCase& golden) {
  std::vector<c10::IValue> arguments;
  const auto& parameters = module.get_method(method).function().getSchema().arguments();
  for (size_t i = 1; i < parameters.size(); ++i) {
    const auto given = golden.arguments.find(parameters[i].name());
    arguments.push_back(given == golden.arguments.end() ? *parameters[i].default_value() : given->second);
  }
  return arguments;
}

absl::StatusOr<std::vector<StageResult>> CheckGolden(const torch::jit::Module& module, absl::string_view family,
                                                     const GoldenCase& golden, const std::vector<StageRow>& table) {
  const c10::InferenceMode inference;
  // Every call runs once and captures all of its stages.
  const std::vector<std::string> owners = {std::string(family), module.type()->name()->name()};
  std::map<std::string, std::vector<std::pair<const GoldenStage*, Place>>> calls;
  for (const GoldenStage& stage : golden.stages) {
    ASSIGN_OR_RETURN(Place place, Find(table, owners, golden, stage.name));
    calls[place.call].emplace_back(&stage, std::move(place));
  }
  std::vector<StageResult> results;
  for (const auto& [text, wanted] : calls) {
    ASSIGN_OR_RETURN(const GoldenCall call, MakeCall(module, text, golden));
    std::set<std::string> names;
    for (const auto& [stage, place] : wanted) {
      ASSIGN_OR_RETURN(const std::string name, PlaceName(place));
      names.insert(name);
    }
    ASSIGN_OR_RETURN(const NamedTensors captured,
                     CaptureTensors(module, call.method, call.arguments,
                                    [&](const ObservedTensor& point) { return names.count(point.name) > 0; }));
    for (const auto& [stage, place] : wanted) {
      ASSIGN_OR_RETURN(const std::string name, PlaceName(place));
      const at::Tensor* const actual = FindTensor(captured, name);
      if (actual == nullptr) return absl::NotFoundError(absl::StrCat(name, " is not passed in ", golden.name));
      ASSIGN_OR_RETURN(const at::Tensor slice, Slice(*actual, stage->slice));
      results.push_back(Compare(golden, *stage, slice));
    }
  }
  return results;
}

}  // namespace modelport
