#include "common/operation/operation_type.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport {

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

}  // namespace modelport
