#include "common/source/operation.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/source/operation_type.h"
#include "common/status/annotate.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

std::vector<const OperationType*> AllTypes() {
  std::vector<const OperationType*> types;
  for (const OperationType* type : JoiningOperations()) types.push_back(type);
  for (const OperationType* type : OrderingOperations()) types.push_back(type);
  return types;
}

}  // namespace

std::string Operation::text() const { return absl::StrCat(type->name(), "(", absl::StrJoin(arguments, ", "), ")"); }

absl::StatusOr<std::vector<Shape>> Operation::Shapes(const std::vector<Shape>& inputs) const {
  return type->Shapes(arguments, inputs);
}

std::vector<Array> Operation::Apply(std::vector<Array> inputs) const {
  return type->Apply(arguments, std::move(inputs));
}

bool Operation::copies() const { return type->copies(); }

absl::optional<Operation> Operation::Inverse(size_t inputs) const { return type->Inverse(arguments, inputs); }

absl::StatusOr<Operation> MakeOperation(absl::string_view name, std::vector<int64_t> arguments) {
  std::vector<std::string> names;
  for (const OperationType* type : AllTypes()) {
    names.emplace_back(type->name());
    if (type->name() != name) continue;
    Operation operation{type, std::move(arguments)};
    if (type->AcceptsArguments(operation.arguments)) return operation;
    return absl::InvalidArgumentError(
        absl::StrCat("wants ", type->name(), "(", type->parameters(), "), has ", operation.text()));
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown operation \"", name, "\"", NearestHint(name, names)));
}

absl::StatusOr<std::vector<Shape>> ResultShapes(absl::Span<const Operation> operations, std::vector<Shape> inputs) {
  for (const Operation& operation : operations) {
    absl::StatusOr<std::vector<Shape>> results = operation.Shapes(inputs);
    if (!results.ok()) return Annotate(results.status(), operation.text());
    inputs = *std::move(results);
  }
  return inputs;
}

std::vector<Array> ApplyAll(absl::Span<const Operation> operations, std::vector<Array> inputs) {
  for (const Operation& operation : operations) inputs = operation.Apply(std::move(inputs));
  return inputs;
}

absl::optional<size_t> CountResults(absl::Span<const Operation> operations, size_t inputs) {
  absl::optional<size_t> count = inputs;
  for (const Operation& operation : operations) {
    if (count) count = operation.type->CountResults(operation.arguments, *count);
  }
  return count;
}

}  // namespace modelport
