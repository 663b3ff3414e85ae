#include "common/operation/operation.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"
#include "common/tensor/number.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

std::vector<const OperationType*> AllTypes() {
  std::vector<const OperationType*> types;
  for (const auto& some : {JoiningOperations(), OrderingOperations(), NumberOperations(), ConvolutionOperations()}) {
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

// The bytes of the elements with one index in each of the first `dims` dimensions.
int64_t BytesBelow(const TensorView& view, int64_t dims) {
  return *ElementCount(Shape(view.shape.begin() + dims, view.shape.end())) * ByteSize(view.dtype);
}

}  // namespace

int64_t DTypeArgument(DType dtype) { return kFirstDType + static_cast<int64_t>(dtype); }

absl::optional<DType> ArgumentDType(int64_t argument) {
  constexpr int64_t kLast = kFirstDType + static_cast<int64_t>(DType::kFloat8E8M0);
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

bool OperationType::AcceptsArguments(Arguments arguments) const {
  const absl::string_view names = parameters();
  return static_cast<int64_t>(arguments.size()) == 1 + std::count(names.begin(), names.end(), ',') &&
         std::all_of(arguments.begin(), arguments.end(), [](int64_t argument) { return argument >= 0; });
}

absl::StatusOr<DType> OperationType::ResultDType(Arguments, DType dtype) const { return dtype; }

bool OperationType::ChangesNumbers(Arguments, const Shape&) const { return false; }

absl::StatusOr<std::vector<Shape>> EachTensor::Shapes(Arguments arguments, const std::vector<Shape>& inputs) const {
  std::vector<Shape> shapes;
  for (const Shape& input : inputs) {
    ASSIGN_OR_RETURN(Shape shape, ShapeOf(arguments, input));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

absl::StatusOr<std::vector<Array>> EachTensor::Apply(Arguments arguments, std::vector<Array> inputs) const {
  for (Array& input : inputs) {
    ASSIGN_OR_RETURN(input, ApplyTo(arguments, std::move(input)));
  }
  return inputs;
}

absl::Status CheckDim(const Shape& shape, int64_t dim) {
  if (dim < static_cast<int64_t>(shape.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(ShapeString(shape), " has no dimension ", dim));
}

absl::Status CheckDivides(const Shape& shape, int64_t dim, int64_t divisor) {
  RETURN_IF_ERROR(CheckDim(shape, dim));
  if (shape[dim] % divisor == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(divisor, " does not divide dimension ", dim, " of ", ShapeString(shape)));
}

absl::StatusOr<Shape> WithSize(const Shape& shape, int64_t dim, __int128 size) {
  Shape resized = shape;
  resized[dim] = static_cast<int64_t>(size);
  if (resized[dim] == size && ElementCount(resized)) return resized;
  return absl::InvalidArgumentError(absl::StrCat(ShapeString(shape), " has too many elements"));
}

std::pair<Array, char*> NewArray(DType dtype, Shape shape) {
  const std::shared_ptr<char[]> memory = std::make_shared_for_overwrite<char[]>(*ElementCount(shape) * ByteSize(dtype));
  std::vector<int64_t> strides = RowMajorStrides(shape);
  return {Array{{dtype, std::move(shape), std::move(strides), memory.get()}, memory}, memory.get()};
}

Array ZeroArray(DType dtype, Shape shape) {
  auto [array, memory] = NewArray(dtype, std::move(shape));
  std::memset(memory, 0, BytesBelow(array.view, 0));
  return array;
}

Array RowMajor(const Array& array) {
  if (array.view.strides == RowMajorStrides(array.view.shape)) return array;
  auto [copy, memory] = NewArray(array.view.dtype, array.view.shape);
  CopyRowMajor(array.view, memory);
  return copy;
}

Array Slice(Array array, int64_t dim, int64_t begin, int64_t size) {
  TensorView& view = array.view;
  if (begin != 0) view.data += begin * view.strides[dim] * ByteSize(view.dtype);
  view.shape[dim] = size;
  return array;
}

Array Join(const std::vector<Array>& arrays, int64_t dim) {
  Shape shape = arrays.front().view.shape;
  shape[dim] = 0;
  for (const Array& array : arrays) shape[dim] += array.view.shape[dim];
  auto [joined, memory] = NewArray(arrays.front().view.dtype, shape);
  const int64_t rows = *ElementCount(Shape(shape.begin(), shape.begin() + dim));
  const int64_t row_bytes = BytesBelow(joined.view, dim);
  for (const Array& array : arrays) {
    const Array part = RowMajor(array);
    const int64_t part_bytes = BytesBelow(part.view, dim);
    for (int64_t row = 0; row < rows && part_bytes > 0; ++row) {
      std::memcpy(memory + row * row_bytes, part.view.data + row * part_bytes, part_bytes);
    }
    memory += part_bytes;
  }
  return joined;
}

std::vector<double> ReadReals(DType dtype, const char* elements, int64_t count) {
  std::vector<double> reals;
  reals.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    const Number number = ReadNumber(dtype, elements + i * ByteSize(dtype));
    reals.push_back(*std::get_if<double>(&number));
  }
  return reals;
}

absl::Status WriteReals(const std::vector<double>& reals, DType dtype, char* out) {
  for (const double real : reals) {
    if (!WriteNumber(real, dtype, out)) {
      return absl::FailedPreconditionError(absl::StrCat(DTypeName(dtype), " does not hold ", NumberText(real)));
    }
    out += ByteSize(dtype);
  }
  return absl::OkStatus();
}

}  // namespace modelport
