#include "common/torchscript/runtime/runtime_obstacles.h"

#include <torch/csrc/jit/frontend/schema_matching.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/first_few.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// An operator that computes something else in runtimes before `since`.
struct ChangedOperator {
  absl::string_view name;
  bool of_number;  // Only calls whose first argument is a number, not a tensor.
  absl::string_view since;
  absl::string_view before;  // What it computes there.
};

constexpr ChangedOperator kChangedOperators[] = {
    {"aten::floor_divide", false, "2.1", "rounds towards zero"},  // LibTorch 1.13 changed it.
    {"aten::round", true, "1.12", "rounds halves away from zero"},
};

void CheckFormat(const Runtime& runtime, const ArchiveFormat& format, std::vector<RuntimeObstacle>& obstacles) {
  if (format.version > runtime.max_archive_version) {
    obstacles.push_back({"",
                         absl::StrCat("LibTorch ", runtime.name, " reads archives up to version ",
                                      runtime.max_archive_version, ", this one has version ", format.version),
                         {}});
  }
  if (runtime.old_records && format.new_records) {
    obstacles.push_back(
        {"", absl::StrCat("LibTorch ", runtime.name, " cannot read .data/version and .debug_pkl records"), {}});
  }
  if (runtime.old_records && format.none_type) {
    obstacles.push_back(
        {"", absl::StrCat("LibTorch ", runtime.name, " cannot read the type name NoneType, which the code has"), {}});
  }
}

// True if the compiler finds a schema for the call, as it does when a runtime loads the archive's code.
bool Matches(const std::vector<c10::FunctionSchema>& schemas, const OperatorCall& call) {
  if (schemas.empty()) return false;
  const auto graph = std::make_shared<torch::jit::Graph>();
  std::vector<torch::jit::NamedValue> positional, named;
  for (const OperatorCall::Argument& argument : call.arguments) {
    torch::jit::Value* value = graph->addInput()->setType(argument.type);
    if (argument.keyword.empty()) {
      positional.emplace_back(value);
    } else {
      named.emplace_back(argument.keyword, value);
    }
  }
  std::vector<const c10::FunctionSchema*> candidates;
  for (const c10::FunctionSchema& schema : schemas) candidates.push_back(&schema);
  const auto match = [&] {
    torch::jit::matchSchemas(candidates, torch::jit::SourceRange(), *graph, positional, named);
  };
  if (!CatchTorch(match).ok()) return false;
  // An archive states every conversion. Matching adds one only for a bool passed as a number, which old runtimes
  // refuse.
  return std::none_of(graph->nodes().begin(), graph->nodes().end(),
                      [](const torch::jit::Node* node) { return node->kind().is_aten(); });
}

// What the call computes otherwise in this runtime; "" if nothing.
absl::string_view OtherMeaning(const Runtime& runtime, const Operator& op, const OperatorCall& call) {
  const bool of_number = !call.arguments.empty() && call.arguments[0].type->isSubtypeOf(*c10::NumberType::get());
  for (const ChangedOperator& changed : kChangedOperators) {
    if (op.name == changed.name && (of_number || !changed.of_number) && !IsAtLeast(runtime.name, changed.since)) {
      return changed.before;
    }
  }
  return "";
}

void CheckOperator(const Runtime& runtime, const Operator& op, std::vector<RuntimeObstacle>& obstacles) {
  const std::vector<c10::FunctionSchema> schemas = RegisteredSchemas(runtime.name, op.name);
  for (const OperatorCall& call : op.calls) {
    const absl::string_view obstacle = Matches(schemas, call) ? OtherMeaning(runtime, op, call) : "does not have it";
    if (obstacle.empty()) continue;
    obstacles.push_back({call.text, absl::StrCat("LibTorch ", runtime.name, " ", obstacle), call.places});
  }
}

std::string Describe(const OperatorCall::Place& place) {
  return absl::StrCat(place.line.place.empty() ? "unknown line" : place.line.place, ", ",
                      DescribeModules(place.modules));
}

// The obstacle and, below it, the lines of code that make the call.
std::string Describe(const RuntimeObstacle& obstacle) {
  std::vector<std::string> places;
  for (const OperatorCall::Place& place : obstacle.places) places.push_back(Describe(place));
  return absl::StrCat(obstacle.call, obstacle.call.empty() ? "" : ": ", obstacle.cause, FirstFewLines(places, "    "));
}

}  // namespace

std::vector<RuntimeObstacle> FindObstacles(const Runtime& runtime, const ArchiveFormat& format,
                                           const std::vector<Operator>& operators) {
  std::vector<RuntimeObstacle> obstacles;
  CheckFormat(runtime, format, obstacles);
  for (const Operator& op : operators) CheckOperator(runtime, op, obstacles);
  return obstacles;
}

absl::Status CheckRuntime(const Runtime& runtime, const ArchiveFormat& format, const std::vector<Operator>& operators) {
  const std::vector<RuntimeObstacle> obstacles = FindObstacles(runtime, format, operators);
  if (obstacles.empty()) return absl::OkStatus();
  std::vector<std::string> details;
  for (const RuntimeObstacle& obstacle : obstacles) details.push_back(Describe(obstacle));
  const std::string minimum = MinimumRuntime(format, operators);
  return absl::FailedPreconditionError(
      absl::StrCat("cannot run in LibTorch ", runtime.name, ": ", obstacles.size(),
                   obstacles.size() == 1 ? " obstacle" : " obstacles",
                   minimum.empty() ? "; no known runtime can" : absl::StrCat("; the oldest that can is ", minimum),
                   FirstFewLines(details, "  ")));
}

std::string MinimumRuntime(const ArchiveFormat& format, const std::vector<Operator>& operators) {
  for (const Runtime& runtime : Runtimes()) {
    if (FindObstacles(runtime, format, operators).empty()) return std::string(runtime.name);
  }
  return "";
}

}  // namespace modelport
