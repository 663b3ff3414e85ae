#include "tests/goldens/golden_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/expression/expression.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/script/ivalue.h"

namespace modelport {
namespace {

// A row of the table with its placeholders replaced.
struct Place {
  std::string call;
  std::string stage;
  std::string element;
  StageComparison comparison;
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
absl::StatusOr<Place> Find(const GoldenTable& table, const std::vector<std::string>& owners, const GoldenCase& golden,
                           const std::string& stage) {
  for (const StageRow& row : table.stages) {
    if (std::find(owners.begin(), owners.end(), row.owner) == owners.end()) continue;
    const auto bindings = row.golden.Match(stage);
    if (!bindings) continue;
    Place place{row.call, row.stage, row.element, row.comparison};
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
  if (!parsed.named.empty()) {
    GoldenCase changed = golden;
    const c10::FunctionSchema& schema = module.get_method(parsed.type).function().getSchema();
    for (const auto& [name, argument] : parsed.named) {
      if (!schema.argumentIndexWithName(name)) {
        return absl::InvalidArgumentError(absl::StrCat(text, ": ", parsed.type, " has no argument ", name));
      }
      ASSIGN_OR_RETURN(const Value value, argument.Evaluate({}));
      changed.arguments[name] = ToIValue(value);
    }
    return GoldenCall{parsed.type, ArgumentsByName(module, parsed.type, changed)};
  }
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
double FocalDifference(const at::Tensor& expected, const at::Tensor& actual, const GoldenCase& golden) {
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

StageResult Compare(const GoldenCase& golden, const GoldenStage& stage, const StageComparison& comparison,
                    const at::Tensor& actual) {
  StageResult result{absl::StrCat(golden.model, "/", golden.name, " ", stage.name)};
  const at::Tensor& expected = stage.expected;
  if (expected.sizes() != actual.sizes()) {
    result.difference = std::numeric_limits<double>::infinity();
  } else if (expected.scalar_type() == at::kBool) {
    // Rounding decides comparisons of nearly equal values: a thousandth of the pixels may differ.
    result.difference = expected.ne(actual).to(at::kDouble).mean().item<double>();
    result.tolerance = 1e-3;
  } else if (comparison.focal) {
    result.difference = FocalDifference(expected, actual, golden);
    result.tolerance = *comparison.focal;
  } else {
    const double noise = stage.noise ? comparison.factor * *stage.noise : comparison.unmeasured * stage.max_abs;
    result.difference = Measure(expected, actual).max_abs;
    result.tolerance = Tolerance(noise, stage.max_abs, expected.scalar_type());
  }
  return result;
}

absl::StatusOr<StageComparison> ParseComparison(absl::string_view text) {
  if (text.empty()) return StageComparison();
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  double number = 0;
  if (words.size() == 2 && absl::SimpleAtod(words[1], &number)) {
    if (words[0] == "noise") return StageComparison{.factor = number};
    if (words[0] == "unmeasured") return StageComparison{.unmeasured = number};
    if (words[0] == "focal") return StageComparison{.focal = number};
  }
  return absl::InvalidArgumentError(absl::StrCat("wants noise, unmeasured or focal, and a number: ", text));
}

// Masks of which every third patch is set, shifted by one from image to image. `patch` is its side in pixels.
at::Tensor EveryThirdPatch(const at::Tensor& input, int64_t patch) {
  const int64_t patches = input.size(2) / patch * (input.size(3) / patch);
  return (at::arange(patches).unsqueeze(0) + at::arange(input.size(0)).unsqueeze(1)).remainder(3).eq(1);
}

// The value of an argument that the table gives the case.
absl::StatusOr<c10::IValue> ArgumentOf(const ArgumentRow& row, const GoldenCase& golden) {
  ASSIGN_OR_RETURN(const Call value, ParseCall(row.value));
  if (value.positional.size() == 1) {
    ASSIGN_OR_RETURN(const Value argument, value.positional[0].Evaluate({}));
    if (value.type == "text") return ToIValue(argument);
    if (value.type == "every_third_patch") return EveryThirdPatch(golden.input(), std::get<int64_t>(argument));
  }
  return absl::InvalidArgumentError(absl::StrCat("wants text(\"...\") or every_third_patch(SIDE): ", row.value));
}

// The case with the arguments that the table gives it.
absl::StatusOr<GoldenCase> WithArguments(GoldenCase golden, const std::vector<std::string>& owners,
                                         const GoldenTable& table) {
  for (const ArgumentRow& row : table.arguments) {
    absl::string_view suffix = row.golden_case;
    const bool is_suffix = absl::ConsumePrefix(&suffix, "*");
    if (is_suffix ? !absl::EndsWith(golden.name, suffix) : golden.name != suffix) continue;
    if (std::find(owners.begin(), owners.end(), row.owner) == owners.end()) continue;
    ASSIGN_OR_RETURN(golden.arguments[row.argument], ArgumentOf(row, golden));
  }
  return golden;
}

// Adds a row of a table of stages, unless it is empty or a comment.
absl::Status AddRow(const std::string& line, GoldenTable& table) {
  if (line.empty() || line[0] == '#') return absl::OkStatus();
  std::vector<std::string> cells = absl::StrSplit(line, '|');
  for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
  if (cells.size() == 4) {
    table.arguments.push_back({cells[0], cells[1], cells[2], cells[3]});
    return absl::OkStatus();
  }
  if (cells.size() != 5 && cells.size() != 6) {
    return absl::InvalidArgumentError(absl::StrCat("wants 4, 5 or 6 columns: ", line));
  }
  ASSIGN_OR_RETURN(KeyPattern golden, KeyPattern::Parse(cells[1]));
  ASSIGN_OR_RETURN(const StageComparison comparison, ParseComparison(cells.size() == 6 ? cells[5] : ""));
  table.stages.push_back({cells[0], std::move(golden), cells[2], cells[3], cells[4], comparison});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GoldenTable> ReadGoldenTables(const std::vector<std::string>& paths) {
  GoldenTable table;
  for (const std::string& path : paths) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) RETURN_IF_ERROR(Annotate(AddRow(line, table), path));
  }
  if (table.stages.empty()) return absl::NotFoundError(absl::StrCat(absl::StrJoin(paths, ", "), ": no such table"));
  return table;
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
                                                     const GoldenCase& stated, const GoldenTable& table) {
  const c10::InferenceMode inference;
  const std::vector<std::string> owners = {std::string(family), module.type()->name()->name()};
  ASSIGN_OR_RETURN(const GoldenCase golden, WithArguments(stated, owners, table));
  // Every call runs once and captures all of its stages.
  std::map<std::string, std::vector<std::pair<const GoldenStage*, Place>>> calls;
  for (const GoldenStage& stage : golden.stages) {
    ASSIGN_OR_RETURN(Place place, Find(table, owners, golden, stage.name));
    if (place.call.empty()) continue;  // It went in.
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
      results.push_back(Compare(golden, *stage, place.comparison, slice));
    }
  }
  return results;
}

}  // namespace modelport
