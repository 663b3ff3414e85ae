#include "common/operation/operation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/operation/operation_type.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

std::vector<const OperationType*> AllTypes() {
  std::vector<const OperationType*> types;
  for (const auto& some : {JoiningOperations(), OrderingOperations(), NumberOperations()}) {
    types.insert(types.end(), some.begin(), some.end());
  }
  return types;
}

// Far from every number that an operation takes.
constexpr int64_t kFirstDType = std::numeric_limits<int64_t>::min();

void AppendArgument(std::string* out, int64_t argument) {
  if (const absl::optional<DType> dtype = ArgumentDType(argument)) {
    absl::StrAppend(out, DTypeName(*dtype));
  } else {
    absl::StrAppend(out, argument);
  }
}

}  // namespace

int64_t DTypeArgument(DType dtype) { return kFirstDType + static_cast<int64_t>(dtype); }

absl::optional<DType> ArgumentDType(int64_t argument) {
  constexpr int64_t kLast = kFirstDType + static_cast<int64_t>(DType::kBool);
  return argument > kLast ? absl::nullopt : absl::make_optional(static_cast<DType>(argument - kFirstDType));
}

std::string Operation::text() const {
  return absl::StrCat(type->name(), "(", absl::StrJoin(arguments, ", ", AppendArgument), ")");
}

absl::Status Operation::Infer(DType* dtype, std::vector<Shape>* shapes) const {
  ASSIGN_OR_RETURN(*dtype, type->ResultDType(arguments, *dtype));
  ASSIGN_OR_RETURN(*shapes, type->Shapes(arguments, *shapes));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Array>> Operation::Apply(std::vector<Array> inputs) const {
  return type->Apply(arguments, std::move(inputs));
}

bool Operation::ChangesNumbers(const std::vector<Shape>& inputs) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [this](const Shape& input) { return type->ChangesNumbers(arguments, input); });
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

absl::optional<size_t> CountResults(absl::Span<const Operation> operations, size_t inputs) {
  absl::optional<size_t> count = inputs;
  for (const Operation& operation : operations) {
    if (count) count = operation.type->CountResults(operation.arguments, *count);
  }
  return count;
}

}  // namespace modelport
