// Operations that join, cut or lengthen tensors along a dimension.
#include "absl/strings/str_cat.h"
#include "common/operation/operation.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

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

absl::Span<const OperationType* const> JoiningOperations() {
  static constexpr const OperationType* kAll[] = {&kConcatenate, &kChunk, &kPrependZeros, &kDropFirst};
  return kAll;
}

}  // namespace modelport
