// Operations that give the elements of a tensor another order or shape.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/source/operation_type.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

Array Reshaped(const Array& array, Shape shape) {
  Array reshaped = RowMajor(array);
  reshaped.view.strides = RowMajorStrides(shape);
  reshaped.view.shape = std::move(shape);
  return reshaped;
}

// In each `head` elements of `dim`, swaps the two dimensions [pairs, members] that the elements are counted in.
Array SwapWithinHeads(Array input, int64_t dim, int64_t head, int64_t pairs) {
  const Shape shape = input.view.shape;
  Shape split = shape;
  split[dim] /= head;
  split.insert(split.begin() + dim + 1, {pairs, head / pairs});
  Array array = Reshaped(input, split);
  std::swap(array.view.shape[dim + 1], array.view.shape[dim + 2]);
  std::swap(array.view.strides[dim + 1], array.view.strides[dim + 2]);
  return Reshaped(array, shape);
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
  Array ApplyTo(Arguments arguments, Array input) const override {
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
  Array ApplyTo(Arguments arguments, Array input) const override {
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
  Array ApplyTo(Arguments arguments, Array input) const override {
    const int64_t half = input.view.shape[arguments[0]] / 2;
    return Join({Slice(input, arguments[0], half, half), Slice(input, arguments[0], 0, half)}, arguments[0]);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override {
    return Operation{this, {arguments.begin(), arguments.end()}};
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
  Array ApplyTo(Arguments arguments, Array input) const override {
    return SwapWithinHeads(std::move(input), arguments[0], arguments[1], arguments[1] / 2);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

struct Interleave final : HeadOperation {
  absl::string_view name() const override { return "interleave"; }
  Array ApplyTo(Arguments arguments, Array input) const override {
    return SwapWithinHeads(std::move(input), arguments[0], arguments[1], 2);
  }
  absl::optional<Operation> Inverse(Arguments arguments, size_t) const override;
};

constexpr Transpose kTranspose{};
constexpr Reshape kReshape{};
constexpr SwapHalves kSwapHalves{};
constexpr Deinterleave kDeinterleave{};
constexpr Interleave kInterleave{};

absl::optional<Operation> Deinterleave::Inverse(Arguments arguments, size_t) const {
  return Operation{&kInterleave, {arguments.begin(), arguments.end()}};
}

absl::optional<Operation> Interleave::Inverse(Arguments arguments, size_t) const {
  return Operation{&kDeinterleave, {arguments.begin(), arguments.end()}};
}

}  // namespace

absl::Span<const OperationType* const> OrderingOperations() {
  static constexpr const OperationType* kAll[] = {&kTranspose, &kReshape, &kSwapHalves, &kDeinterleave, &kInterleave};
  return kAll;
}

}  // namespace modelport
