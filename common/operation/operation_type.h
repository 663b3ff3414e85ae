#ifndef MODELPORT_COMMON_OPERATION_OPERATION_TYPE_H_
#define MODELPORT_COMMON_OPERATION_OPERATION_TYPE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/operation/array.h"
#include "common/operation/operation.h"
#include "common/tensor/dtype.h"

namespace modelport {

// What the operations of one name have in common. The functions take an operation's arguments, which are not negative
// but for dtypes and a size of -1.
struct OperationType {
  using Arguments = absl::Span<const int64_t>;

  virtual absl::string_view name() const = 0;
  virtual absl::string_view parameters() const = 0;  // "count, dim".
  // By default as many as `parameters`, none negative.
  virtual bool AcceptsArguments(Arguments arguments) const;
  virtual bool copies() const { return true; }

  // The dtype of the results for tensors of `dtype`. InvalidArgument: the operation does not take it.
  virtual absl::StatusOr<DType> ResultDType(Arguments arguments, DType dtype) const;
  virtual bool ChangesNumbers(Arguments arguments, const Shape& input) const;

  // The shapes of the results for tensors of the shapes `inputs`. InvalidArgument: why they do not fit.
  virtual absl::StatusOr<std::vector<Shape>> Shapes(Arguments arguments, const std::vector<Shape>& inputs) const = 0;

  // As CountResults, Apply and Inverse of Operation.
  virtual absl::optional<size_t> CountResults(Arguments arguments, size_t inputs) const = 0;
  virtual absl::StatusOr<std::vector<Array>> Apply(Arguments arguments, std::vector<Array> inputs) const = 0;
  virtual absl::optional<Operation> Inverse(Arguments arguments, size_t inputs) const = 0;

 protected:
  ~OperationType() = default;
};

// An operation over each tensor by itself.
struct EachTensor : OperationType {
  virtual absl::StatusOr<Shape> ShapeOf(Arguments arguments, Shape input) const = 0;
  virtual absl::StatusOr<Array> ApplyTo(Arguments arguments, Array input) const = 0;

  absl::optional<size_t> CountResults(Arguments, size_t inputs) const final { return inputs; }
  absl::StatusOr<std::vector<Shape>> Shapes(Arguments arguments, const std::vector<Shape>& inputs) const final;
  absl::StatusOr<std::vector<Array>> Apply(Arguments arguments, std::vector<Array> inputs) const final;
};

// InvalidArgument: `shape` has no dimension `dim`.
absl::Status CheckDim(const Shape& shape, int64_t dim);

// InvalidArgument: `dim` is no dimension of `shape`, or its size is not a multiple of `divisor`, which is positive.
absl::Status CheckDivides(const Shape& shape, int64_t dim, int64_t divisor);

// `shape` with `size` as the size of `dim`, which it has.
//   InvalidArgument  ElementCount does not know its elements
absl::StatusOr<Shape> WithSize(const Shape& shape, int64_t dim, __int128 size);

// concatenate, chunk, prepend_zeros, drop_first.
absl::Span<const OperationType* const> JoiningOperations();

// transpose, reshape, swap_halves, swap_groups, deinterleave, interleave.
absl::Span<const OperationType* const> OrderingOperations();

// cast, resample_bicubic, resample_antialias.
absl::Span<const OperationType* const> NumberOperations();

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_OPERATION_TYPE_H_
