#include "tests/golden_check.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/module_tree/expression.h"
#include "common/parity/capture.h"
#include "common/script/ivalue.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// A golden's row with its placeholders replaced.
struct Place {
  std::string call;
  std::string stage;
  std::string element;
};

absl::StatusOr<Place> Find(const std::vector<StageRow>& table, absl::string_view family, const std::string& golden) {
  for (const StageRow& row : table) {
    if (row.family != family) continue;
    const auto bindings = row.golden.Match(golden);
    if (!bindings) continue;
    Place place{row.call, row.stage, row.element};
    for (const auto& [name, value] : *bindings) {
      for (std::string* text : {&place.call, &place.stage, &place.element}) {
        *text = absl::StrReplaceAll(*text, {{absl::StrCat("{", name, "}"), value}});
      }
    }
    return place;
  }
  return absl::NotFoundError(absl::StrCat("tests/stages.txt has no row for ", family, " ", golden));
}

// Goldens with masks mask every third patch, shifted by one from image to image.
c10::IValue Masks(const GoldenCase& golden) {
  if (!absl::EndsWith(golden.name, "_masked")) return c10::IValue();
  const at::Tensor& input = golden.input;
  const int64_t patches = input.size(2) / 14 * (input.size(3) / 14);
  return (at::arange(patches).unsqueeze(0) + at::arange(input.size(0)).unsqueeze(1)).remainder(3).eq(1);
}

absl::StatusOr<std::vector<c10::IValue>> Arguments(const Call& call, const GoldenCase& golden) {
  std::vector<c10::IValue> arguments;
  for (const Expression& argument : call.positional) {
    ASSIGN_OR_RETURN(const Value value, argument.Evaluate({}));
    if (value == Value(TypeName{"x"})) {
      arguments.push_back(golden.input);
    } else if (value == Value(TypeName{"masks"})) {
      arguments.push_back(Masks(golden));
    } else {
      arguments.push_back(ToIValue(value));
    }
  }
  return arguments;
}

absl::StatusOr<at::Tensor> Element(c10::IValue value, const std::string& path) {
  for (absl::string_view part : absl::StrSplit(path, '.', absl::SkipEmpty())) {
    int64_t index = 0;
    if (value.isGenericDict()) {
      value = c10::IValue(value.toGenericDict().at(std::string(part)));
    } else if (absl::SimpleAtoi(part, &index)) {
      value = value.isTuple() ? value.toTupleRef().elements()[index] : c10::IValue(value.toListRef()[index]);
    }
  }
  if (!value.isTensor())
    return absl::InvalidArgumentError(absl::StrCat("element \"", path, "\" is a ", value.tagKind()));
  return value.toTensor();
}

double MaxDifference(const at::Tensor& expected, const at::Tensor& actual) {
  if (expected.sizes() != actual.sizes()) return std::numeric_limits<double>::infinity();
  return (expected.to(at::kDouble) - actual.to(at::kDouble)).abs().max().item<double>();
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

absl::StatusOr<std::vector<StageResult>> CheckGolden(const torch::jit::Module& module, absl::string_view family,
                                                     const GoldenCase& golden, const std::vector<StageRow>& table) {
  const c10::InferenceMode inference;
  // Every call runs once and captures all the stages that are wanted of it.
  std::map<std::string, std::vector<std::pair<const GoldenStage*, Place>>> calls;
  for (const GoldenStage& stage : golden.stages) {
    ASSIGN_OR_RETURN(Place place, Find(table, family, stage.name));
    calls[place.call].emplace_back(&stage, std::move(place));
  }
  std::vector<StageResult> results;
  for (const auto& [text, wanted] : calls) {
    ASSIGN_OR_RETURN(const Call call, ParseCall(text));
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments, Arguments(call, golden));
    std::vector<Stage> stages;
    for (const auto& [stage, place] : wanted) {
      if (place.stage.empty()) continue;
      ASSIGN_OR_RETURN(Stage parsed, ParseStage(place.stage));
      stages.push_back(std::move(parsed));
    }
    ASSIGN_OR_RETURN(const Captured captured, RunAndCapture(module, call.type, arguments, stages));
    size_t next = 0;
    for (const auto& [stage, place] : wanted) {
      const c10::IValue& value = place.stage.empty() ? captured.result : captured.captures[next++].front();
      ASSIGN_OR_RETURN(const at::Tensor actual, Element(value, place.element));
      results.push_back({absl::StrCat(golden.model, "/", golden.name, " ", stage->name),
                         MaxDifference(stage->expected, Slice(actual, stage->slice)), stage->max_abs, stage->noise});
    }
  }
  return results;
}

absl::Status MeasureNoise(torch::jit::Module module, absl::string_view family, GoldenCase golden,
                          const std::vector<StageRow>& table, std::vector<StageResult>& results) {
  module.to(at::kDouble);
  golden.input = golden.input.to(at::kDouble);
  ASSIGN_OR_RETURN(const std::vector<StageResult> in_float64, CheckGolden(module, family, golden, table));
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].noise) results[i].noise = in_float64[i].difference;
  }
  return absl::OkStatus();
}

}  // namespace modelport
