#include "common/torchscript/runtime/operators.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/frontend/schema_matching.h>
#include <torch/csrc/jit/operator_upgraders/version_map.h>
#include <torch/csrc/jit/runtime/calculate_necessary_args.h>
#include <torch/version.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/text/first_few.h"
#include "common/torchscript/runtime/runtimes/embedded_operators.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Function;
using torch::jit::Node;

uint32_t OperatorVersion(const c10::FunctionSchema& schema) {
  const auto& versions = torch::jit::get_operator_version_map();
  const auto found = versions.find(torch::jit::getFullSchemaName(schema));
  return found == versions.end() ? 0 : found->second.back().bumped_at_version;
}

// The arguments that LibTorch writes when it prints the call into an archive.
std::vector<OperatorCall::Argument> WrittenArguments(Node& node) {
  const std::vector<c10::Argument>& formals = node.schema().arguments();
  const int64_t written =
      torch::jit::CalculateNecessaryArgs(formals, node.inputs(), /*allow_trailing_out_args=*/false).first;
  std::vector<OperatorCall::Argument> arguments;
  for (size_t i = 0; i < static_cast<size_t>(written); ++i) {
    // A variadic operator takes more arguments than its schema names.
    const bool named = i < formals.size() && formals[i].kwarg_only();
    arguments.push_back({named ? formals[i].name() : "", c10::unshapedType(node.input(i)->type())});
  }
  return arguments;
}

OperatorCall MakeCall(Node& node) {
  OperatorCall call;
  call.arguments = WrittenArguments(node);
  const auto format = [](std::string* out, const OperatorCall::Argument& argument) {
    absl::StrAppend(out, argument.keyword, argument.keyword.empty() ? "" : "=", argument.type->annotation_str());
  };
  call.text = absl::StrCat(node.schema().name(), "(", absl::StrJoin(call.arguments, ", ", format), ")");
  return call;
}

// An operator, and the indices of its calls and of their places.
struct Entry {
  Operator op;
  absl::flat_hash_map<std::string, size_t> calls;                      // By text.
  absl::flat_hash_map<std::pair<size_t, std::string>, size_t> places;  // By call and SourceLine::place.

  OperatorCall::Place& FindPlace(OperatorCall call, const SourceLine& line) {
    const auto [call_index, new_call] = calls.try_emplace(call.text, op.calls.size());
    if (new_call) op.calls.push_back(std::move(call));
    std::vector<OperatorCall::Place>& found = op.calls[call_index->second].places;
    const auto [index, new_place] = places.try_emplace({call_index->second, line.place}, found.size());
    if (new_place) found.push_back({line, {}});
    return found[index->second];
  }
};

class Collector {
 public:
  void VisitModule(const torch::jit::Module& module, const std::string& path) {
    path_ = path;
    visited_.clear();
    VisitClass(*module.type());
    for (const c10::IValue& attribute : module._ivalue()->slots()) VisitValue(attribute);
  }

  ModuleCalls Take() && {
    ModuleCalls calls;
    for (auto& [name, entry] : operators_) calls.operators.push_back(std::move(entry.op));
    for (auto& [name, place] : native_classes_) calls.native_classes.push_back({name, std::move(place)});
    return calls;
  }

 private:
  void VisitClass(const c10::ClassType& type) {
    for (Function* method : type.methods()) VisitFunction(method);
    for (Function* hook : type.getForwardPreHooks()) VisitFunction(hook);
    for (Function* hook : type.getForwardHooks()) VisitFunction(hook);
  }

  // The objects in the value of an attribute, whose methods may be called through an interface. Modules are visited
  // with their own paths.
  void VisitValue(const c10::IValue& value) {
    // Returning true leaves out what is in the part.
    value.visit([this](const c10::IValue& part) {
      if (!part.isObject()) return false;
      const c10::intrusive_ptr<c10::ivalue::Object> object = part.toObject();
      if (object->type()->is_module() || !objects_.insert(object.get()).second) return true;
      VisitClass(*object->type());
      return false;
    });
  }

  void VisitFunction(Function* function) {
    auto* graph_function = torch::jit::tryToGraphFunction(*function);
    if (graph_function != nullptr && visited_.insert(function).second) VisitBlock(*graph_function->graph()->block());
  }

  void VisitBlock(Block& block) {
    ForEachNode(block, [this](Node& node) { VisitNode(node); });
  }

  void VisitNode(Node& node) {
    if (node.kind() == torch::jit::prim::CallFunction) {
      VisitFunction(node.input(0)->type()->expectRef<c10::FunctionType>().function());
    } else if (node.kind() == torch::jit::prim::CallMethod) {
      VisitCallee(node);
    } else if (node.kind() == torch::jit::prim::CreateObject) {
      VisitObject(node, node.output()->type());
    } else if (node.hasAttribute(torch::jit::attr::Subgraph)) {
      VisitBlock(*node.g(torch::jit::attr::Subgraph)->block());
    } else if (node.maybeSchema() != nullptr) {
      AddCall(node);
    }
  }

  // Skips methods of modules: VisitModule visits each module with its own path.
  void VisitCallee(Node& node) { VisitObject(node, node.input(0)->type()); }

  void VisitObject(Node& node, const c10::TypePtr& object) {
    const auto type = object->cast<c10::ClassType>();
    if (type == nullptr || type->is_module()) return;
    VisitClass(*type);
    constexpr absl::string_view kNative = "__torch__.torch.classes.";
    absl::string_view name = type->name()->qualifiedName();
    if (absl::ConsumePrefix(&name, kNative)) native_classes_.emplace(name, FindSourceLine(node.sourceRange()));
  }

  void AddCall(Node& node) {
    const c10::FunctionSchema& schema = node.schema();
    Entry& entry = operators_[{schema.name(), schema.overload_name()}];
    entry.op.name = schema.name();
    entry.op.overload = schema.overload_name();
    entry.op.version = OperatorVersion(schema);
    std::vector<std::string>& modules = entry.FindPlace(MakeCall(node), FindSourceLine(node.sourceRange())).modules;
    if (modules.empty() || modules.back() != path_) modules.push_back(path_);
  }

  std::string path_;                                  // Of the module being visited.
  std::set<const c10::ivalue::Object*> objects_;      // Visited.
  std::map<std::string, SourceLine> native_classes_;  // By name.
  std::set<const Function*> visited_;                 // For that module.
  std::map<std::pair<std::string, std::string>, Entry> operators_;
};

// One signature: "-xxxx aten::pad(...)" has an x for each runtime that registers it.
struct Row {
  absl::string_view columns;
  absl::string_view signature;
};

struct Table {
  std::vector<std::string> runtimes;
  std::vector<Row> rows;  // Sorted by signature.
};

Table ParseTable(absl::string_view text) {
  Table table;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    if (table.runtimes.empty()) {
      table.runtimes = absl::StrSplit(line, ' ');
    } else {
      const size_t width = table.runtimes.size();
      table.rows.push_back({line.substr(0, width), line.substr(width + 1)});
    }
  }
  return table;
}

const Table& EmbeddedTable() {
  static const Table* const table = new Table(ParseTable(EmbeddedOperators()[0].text));
  return *table;
}

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

ModuleCalls CollectCalls(const torch::jit::Module& module) {
  Collector collector;
  for (const auto& item : module.named_modules()) collector.VisitModule(item.value, item.name);
  return std::move(collector).Take();
}

std::vector<Operator> CollectOperators(const torch::jit::Module& module) { return CollectCalls(module).operators; }

absl::string_view LibTorchVersion() { return TORCH_VERSION; }

std::vector<std::string> OperatorTableRuntimes() { return EmbeddedTable().runtimes; }

std::vector<c10::FunctionSchema> RegisteredSchemas(absl::string_view runtime, absl::string_view name) {
  const Table& table = EmbeddedTable();
  const size_t column = std::find(table.runtimes.begin(), table.runtimes.end(), runtime) - table.runtimes.begin();
  const std::string prefix = absl::StrCat(name, "(");
  const auto before = [](const Row& row, absl::string_view text) { return row.signature < text; };
  std::vector<c10::FunctionSchema> schemas;
  for (auto row = std::lower_bound(table.rows.begin(), table.rows.end(), prefix, before);
       row != table.rows.end() && absl::StartsWith(row->signature, prefix); ++row) {
    if (row->columns[column] != 'x') continue;
    auto schema = CatchTorch([&] { return torch::jit::parseSchema(absl::StrCat(row->signature, " -> ()")); });
    if (schema.ok()) schemas.push_back(*std::move(schema));
  }
  return schemas;
}

HasOperator OperatorsOf(const Runtime* runtime) {
  if (runtime == nullptr) return CompilerHasOperator;
  return [runtime](const std::string& name) {
    return !RegisteredSchemas(runtime->name, absl::StrCat("aten::", name)).empty();
  };
}

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
