// Operations that move the elements of tensors: give them another order or shape, and join, cut or lengthen tensors
// along a dimension.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "common/operation/operation.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

Array Reshaped(const Array& array, Shape shape) {
  Array reshaped = RowMajor(array);
  reshaped.view.strides = RowMajorStrides(shape);
  reshaped.view.shape = std::move(shape);
  return reshaped;
}

// Counts the elements of `dim` in three dimensions of these sizes. Then swaps the dimension `swapped` of these three, 0
// or 1, with the next one.
Array SwapInside(const Array& input, int64_t dim, const std::array<int64_t, 3>& sizes, int64_t swapped) {
  const Shape shape = input.view.shape;
  if (*ElementCount(shape) == 0) return input;
  Shape split = shape;
  split.erase(split.begin() + dim);
  split.insert(split.begin() + dim, sizes.begin(), sizes.end());
  Array array = Reshaped(input, split);
  std::swap(array.view.shape[dim + swapped], array.view.shape[dim + swapped + 1]);
  std::swap(array.view.strides[dim + swapped], array.view.strides[dim + swapped + 1]);
  return Reshaped(array, shape);
}

// In each `head` elements of `dim`, swaps the two dimensions [pairs, members] that the elements are counted in.
Array SwapWithinHeads(const Array& input, int64_t dim, int64_t head, int64_t pairs) {
  return SwapInside(input, dim, {input.view.shape[dim] / head, pairs, head / pairs}, 1);
}

struct Transpose final : EachTensor {
  absl::string_view name() const override { return "transpose"; }
  absl::string_view parameters() const override { return "a, b"; }
  bool copies() const override { return false; }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    for (const int64_t dim : arguments) RETURN_IF_ERROR(CheckDim(input, dim));
    std::swap(input[arguments[0]], input[arguments[1]]);
    return input;
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    std::swap(input.view.shape[arguments[0]], input.view.shape[arguments[1]]);
    std::swap(input.view.strides[arguments[0]], input.view.strides[arguments[1]]);
    return input;
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override {
    return Operation{this, {arguments.begin(), arguments.end()}};
  }
};

struct Reshape final : EachTensor {
  absl::string_view name() const override { return "reshape"; }
  absl::string_view parameters() const override { return "size, ..."; }
  bool AcceptsArguments(Arguments arguments) const override {
    return std::count(arguments.begin(), arguments.end(), -1) <= 1 &&
           std::all_of(arguments.begin(), arguments.end(), [](int64_t size) { return size > 0 || size == -1; });
  }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    Shape shape(arguments.begin(), arguments.end());
    const int64_t elements = *ElementCount(input);
    const auto open = std::find(shape.begin(), shape.end(), -1);
    if (open != shape.end()) {
      *open = 1;
      const absl::optional<int64_t> stated = ElementCount(shape);
      *open = stated ? elements / *stated : 0;
    }
    if (ElementCount(shape) == elements) return shape;
    return absl::InvalidArgumentError(absl::StrCat(ShapeString(input), " has another number of elements"));
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    return Reshaped(input, *ShapeOf(arguments, input.view.shape));
  }
  // The arguments do not say what the shape was.
  absl::optional<Operation> Inverse(Arguments, size_t) const override { return absl::nullopt; }
};

struct SwapHalves final : EachTensor {
  absl::string_view name() const override { return "swap_halves"; }
  absl::string_view parameters() const override { return "dim"; }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    RETURN_IF_ERROR(CheckDivides(input, arguments[0], 2));
    return input;
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    const int64_t half = input.view.shape[arguments[0]] / 2;
    return Join({Slice(input, arguments[0], half, half), Slice(input, arguments[0], 0, half)}, arguments[0]);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override {
    return Operation{this, {arguments.begin(), arguments.end()}};
  }
};

struct SwapGroups final : EachTensor {
  absl::string_view name() const override { return "swap_groups"; }
  absl::string_view parameters() const override { return "dim, outer, inner"; }
  bool AcceptsArguments(Arguments arguments) const override {
    constexpr int64_t kMaxGroups = 1'000'000;
    return OperationType::AcceptsArguments(arguments) &&
           std::all_of(arguments.begin() + 1, arguments.end(), [](int64_t n) { return n > 0 && n <= kMaxGroups; });
  }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    RETURN_IF_ERROR(CheckDivides(input, arguments[0], arguments[1] * arguments[2]));
    return input;
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    const int64_t outer = arguments[1], inner = arguments[2];
    return SwapInside(input, arguments[0], {outer, inner, input.view.shape[arguments[0]] / outer / inner}, 0);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override {
    return Operation{this, {arguments[0], arguments[2], arguments[1]}};
  }
};

// Deinterleave and Interleave.
struct HeadOperation : EachTensor {
  absl::string_view parameters() const final { return "dim, head"; }
  bool AcceptsArguments(Arguments arguments) const final {
    return OperationType::AcceptsArguments(arguments) && arguments[1] > 0 && arguments[1] % 2 == 0;
  }
  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const final {
    RETURN_IF_ERROR(CheckDivides(input, arguments[0], arguments[1]));
    return input;
  }
};

struct Deinterleave final : HeadOperation {
  absl::string_view name() const override { return "deinterleave"; }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    return SwapWithinHeads(input, arguments[0], arguments[1], arguments[1] / 2);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

struct Interleave final : HeadOperation {
  absl::string_view name() const override { return "interleave"; }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    return SwapWithinHeads(input, arguments[0], arguments[1], 2);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

constexpr Transpose kTranspose{};
constexpr Reshape kReshape{};
constexpr SwapHalves kSwapHalves{};
constexpr SwapGroups kSwapGroups{};
constexpr Deinterleave kDeinterleave{};
constexpr Interleave kInterleave{};

absl::optional<Operation> Deinterleave::Inverse(Arguments arguments, size_t) const {
  return Operation{&kInterleave, {arguments.begin(), arguments.end()}};
}

absl::optional<Operation> Interleave::Inverse(Arguments arguments, size_t) const {
  return Operation{&kDeinterleave, {arguments.begin(), arguments.end()}};
}

struct Concatenate final : OperationType {
  absl::string_view name() const override { return "concatenate"; }
  absl::string_view parameters() const override { return "dim"; }

  absl::optional<size_t> CountResults(Arguments, size_t inputs) const override {
    return inputs > 0 ? absl::make_optional<size_t>(1) : absl::nullopt;
  }
  // Only equal tensors, so that a chunk takes the result back to them.
  absl::StatusOr<std::vector<Shape>> Shapes(Arguments arguments, const std::vector<Shape>& inputs) const override {
    RETURN_IF_ERROR(CheckDim(inputs.front(), arguments[0]));
    for (const Shape& input : inputs) {
      if (input != inputs.front()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the tensors have different shapes: ", ShapeString(inputs.front()), " and ", ShapeString(input)));
      }
    }
    const __int128 size = static_cast<__int128>(inputs.front()[arguments[0]]) * inputs.size();
    ASSIGN_OR_RETURN(Shape joined, WithSize(inputs.front(), arguments[0], size));
    return std::vector<Shape>{std::move(joined)};
  }
  absl::StatusOr<std::vector<Array>> Apply(Arguments arguments, std::vector<Array> inputs) const override {
    return std::vector<Array>{Join(inputs, arguments[0])};
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t inputs) const override;
};

struct Chunk final : OperationType {
  absl::string_view name() const override { return "chunk"; }
  absl::string_view parameters() const override { return "count, dim"; }
  bool AcceptsArguments(Arguments arguments) const override {
    return OperationType::AcceptsArguments(arguments) && arguments[0] > 0 && arguments[0] <= 100;
  }
  bool copies() const override { return false; }

  absl::optional<size_t> CountResults(Arguments arguments, size_t inputs) const override {
    return inputs == 1 ? absl::make_optional<size_t>(arguments[0]) : absl::nullopt;
  }
  absl::StatusOr<std::vector<Shape>> Shapes(Arguments arguments, const std::vector<Shape>& inputs) const override {
    Shape part = inputs.front();
    RETURN_IF_ERROR(CheckDivides(part, arguments[1], arguments[0]));
    part[arguments[1]] /= arguments[0];
    return std::vector<Shape>(arguments[0], part);
  }
  absl::StatusOr<std::vector<Array>> Apply(Arguments arguments, std::vector<Array> inputs) const override {
    const int64_t size = inputs.front().view.shape[arguments[1]] / arguments[0];
    std::vector<Array> parts;
    for (int64_t i = 0; i < arguments[0]; ++i) parts.push_back(Slice(inputs.front(), arguments[1], i * size, size));
    return parts;
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

struct PrependZeros final : EachTensor {
  absl::string_view name() const override { return "prepend_zeros"; }
  absl::string_view parameters() const override { return "dim"; }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    RETURN_IF_ERROR(CheckDim(input, arguments[0]));
    return WithSize(input, arguments[0], static_cast<__int128>(input[arguments[0]]) + 1);
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    Shape first = input.view.shape;
    first[arguments[0]] = 1;
    return Join({ZeroArray(input.view.dtype, first), input}, arguments[0]);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

struct DropFirst final : EachTensor {
  absl::string_view name() const override { return "drop_first"; }
  absl::string_view parameters() const override { return "dim"; }
  bool copies() const override { return false; }

  absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const override {
    RETURN_IF_ERROR(CheckDim(input, arguments[0]));
    if (input[arguments[0]] == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(ShapeString(input), " has no element in dimension ", arguments[0]));
    }
    input[arguments[0]] -= 1;
    return input;
  }
  absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const override {
    const int64_t size = input.view.shape[arguments[0]];
    return Slice(std::move(input), arguments[0], 1, size - 1);
  }
  // The first element may have been anything.
  absl::optional<Operation> Inverse(Arguments, size_t) const override { return absl::nullopt; }
};

constexpr Concatenate kConcatenate{};
constexpr Chunk kChunk{};
constexpr PrependZeros kPrependZeros{};
constexpr DropFirst kDropFirst{};

absl::optional<Operation> Concatenate::Inverse(Arguments arguments, size_t inputs) const {
  return Operation{&kChunk, {static_cast<int64_t>(inputs), arguments[0]}};
}

absl::optional<Operation> Chunk::Inverse(Arguments arguments, size_t) const {
  return Operation{&kConcatenate, {arguments[1]}};
}

absl::optional<Operation> PrependZeros::Inverse(Arguments arguments, size_t) const {
  return Operation{&kDropFirst, {arguments[0]}};
}

}  // namespace

absl::Span<const OperationType* const> OrderingOperations() {
  static constexpr const OperationType* kAll[] = {&kTranspose,  &kReshape,      &kSwapHalves,
                                                  &kSwapGroups, &kDeinterleave, &kInterleave};
  return kAll;
}

absl::Span<const OperationType* const> JoiningOperations() {
  static constexpr const OperationType* kAll[] = {&kConcatenate, &kChunk, &kPrependZeros, &kDropFirst};
  return kAll;
}

}  // namespace modelport
