// Operations that give tensors another dtype or other numbers.
#include <array>
#include <cmath>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/operation/operation.h"
#include "common/operation/resample.h"
#include "common/status/status_macros.h"
#include "common/tensor/number.h"

namespace modelport {
namespace {

// Whether an argument of cast is a dtype that it takes.
bool IsCast(int64_t argument) {
  const absl::optional<DType> dtype = ArgumentDType(argument);
  return dtype && IsComputed(*dtype);
}

struct Cast final : EachTensor {
  absl::string_view name() const override { return "cast"; }
  absl::string_view parameters() const override { return "from, to"; }
  bool AcceptsArguments(Arguments arguments) const override {
    return arguments.size() == 2 && arguments[0] != arguments[1] && IsCast(arguments[0]) && IsCast(arguments[1]);
  }

  absl::StatusOr<DType> ResultDType(Arguments arguments, DType dtype) const override {
    if (dtype == *ArgumentDType(arguments[0])) return *ArgumentDType(arguments[1]);
    return absl::InvalidArgumentError(
        absl::StrCat("wants ", DTypeName(*ArgumentDType(arguments[0])), ", has ", DTypeName(dtype)));
  }
  absl::StatusOr<Shape> ShapeOf(Arguments, Shape input) const override { return input; }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    const DType from = input.view.dtype, to = *ArgumentDType(arguments[1]);
    const Array source = RowMajor(input);
    auto [result, memory] = NewArray(to, source.view.shape);
    for (int64_t i = 0; i < *ElementCount(source.view.shape); ++i) {
      const Number number = ReadNumber(from, source.view.data + i * ByteSize(from));
      if (!HoldsExactly(to, number)) {
        return absl::FailedPreconditionError(absl::StrCat(DTypeName(to), " does not hold ", NumberText(number),
                                                          ", element ", i, " of ", ShapeString(source.view.shape)));
      }
      WriteNumber(number, to, memory + i * ByteSize(to));
    }
    return result;
  }
  // No number is lost.
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override {
    return Operation{this, {arguments[1], arguments[0]}};
  }
};

// The side of the square grid of `rows` rows; 0 if they are none.
int64_t SideOf(int64_t rows) {
  const int64_t side = std::llround(std::sqrt(static_cast<double>(rows)));
  return rows > 0 && side * side == rows ? side : 0;
}

// resample_bicubic and resample_antialias.
struct ResampleTable : EachTensor {
  virtual bool antialias() const = 0;

  absl::string_view parameters() const final { return "dim, first, height, width"; }
  bool AcceptsArguments(Arguments arguments) const final {
    constexpr int64_t kMaxSide = 10'000;
    const auto is_side = [](int64_t size) { return size > 0 && size <= kMaxSide; };
    return OperationType::AcceptsArguments(arguments) && is_side(arguments[2]) && is_side(arguments[3]);
  }

  absl::StatusOr<DType> ResultDType(Arguments, DType dtype) const final {
    if (IsFloating(dtype)) return dtype;
    return absl::InvalidArgumentError(absl::StrCat("wants a floating dtype, has ", DTypeName(dtype)));
  }
  bool ChangesNumbers(Arguments arguments, const Shape& input) const final {
    const int64_t side = SideOf(input[arguments[0]] - arguments[1]);
    return side != arguments[2] || side != arguments[3];
  }
  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const final {
    const int64_t dim = arguments[0], first = arguments[1];
    RETURN_IF_ERROR(CheckDim(input, dim));
    if (SideOf(input[dim] - first) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(ShapeString(input), " has ", input[dim], " elements in dimension ",
                                                     dim, ", which are not ", first, " and a square grid"));
    }
    return WithSize(input, dim, static_cast<__int128>(first) + arguments[2] * arguments[3]);
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const final {
    if (!ChangesNumbers(arguments, input.view.shape)) return input;
    const int64_t dim = arguments[0], first = arguments[1], rows = input.view.shape[dim] - first;
    ASSIGN_OR_RETURN(const Array grids, ResampleGrids(arguments, RowMajor(Slice(input, dim, first, rows))));
    return first == 0 ? grids : Join({Slice(input, dim, 0, first), grids}, dim);
  }
  // Numbers between two others are lost, or new.
  absl::optional<Operation> Inverse(Arguments, size_t) const final { return absl::nullopt; }

 private:
  // Resamples every grid of a row-major array of nothing else.
  absl::StatusOr<Array> ResampleGrids(Arguments arguments, const Array& grids) const {
    const auto& [dtype, shape, strides, data] = grids.view;
    const int64_t dim = arguments[0], side = SideOf(shape[dim]);
    const Resampling rows = {side, arguments[2], antialias()}, columns = {side, arguments[3], antialias()};
    Shape new_shape = shape;
    new_shape[dim] = rows.to * columns.to;
    auto [resampled, memory] = NewArray(dtype, new_shape);
    const int64_t channels = *ElementCount(Shape(shape.begin() + dim + 1, shape.end()));
    const int64_t size = shape[dim] * channels, new_size = new_shape[dim] * channels;
    const int64_t count = *ElementCount(Shape(shape.begin(), shape.begin() + dim));
    for (int64_t i = 0; i < count; ++i) {
      const std::vector<double> grid = ReadReals(dtype, data + i * size * ByteSize(dtype), size);
      RETURN_IF_ERROR(
          WriteReals(Resample(grid, rows, columns, channels), dtype, memory + i * new_size * ByteSize(dtype)));
    }
    return resampled;
  }
};

struct ResampleBicubic final : ResampleTable {
  absl::string_view name() const override { return "resample_bicubic"; }
  bool antialias() const override { return false; }
};

struct ResampleAntialias final : ResampleTable {
  absl::string_view name() const override { return "resample_antialias"; }
  bool antialias() const override { return true; }
};

constexpr Cast kCast{};
constexpr ResampleBicubic kResampleBicubic{};
constexpr ResampleAntialias kResampleAntialias{};

}  // namespace

absl::Span<const OperationType* const> NumberOperations() {
  static constexpr const OperationType* kAll[] = {&kCast, &kResampleBicubic, &kResampleAntialias};
  return kAll;
}

}  // namespace modelport
