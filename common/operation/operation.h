// The operations by which a key map makes slots from the tensors of a layout, and back.
#ifndef MODELPORT_COMMON_OPERATION_OPERATION_H_
#define MODELPORT_COMMON_OPERATION_OPERATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// The elements of a tensor between two operations: in a file, or in memory that the array owns.
struct Array {
  TensorView view;
  std::shared_ptr<const char[]> memory = nullptr;  // Null where `view` is in a file.
};

// A row-major array and its memory, to be written.
std::pair<Array, char*> NewArray(DType dtype, Shape shape);

// Row-major zeros.
Array ZeroArray(DType dtype, Shape shape);

// The same elements in row-major order: `array` itself if they are, or else a copy.
Array RowMajor(const Array& array);

// The elements with index `begin` to `begin + size` of dimension `dim`, as a view of the same memory.
Array Slice(Array array, int64_t dim, int64_t begin, int64_t size);

// Joins arrays of one dtype, which differ in dimension `dim` only, along it. Copies them.
Array Join(const std::vector<Array>& arrays, int64_t dim);

// `count` row-major elements of a floating dtype.
std::vector<double> ReadReals(DType dtype, const char* elements, int64_t count);

// Writes `reals` to `out` as elements of `dtype`. FailedPrecondition: it does not hold one of them.
absl::Status WriteReals(const std::vector<double>& reals, DType dtype, char* out);

struct OperationType;

// One operation over a list of tensors of one dtype. Dimensions count from 0. All but the last five move elements and
// change none.
//
//   concatenate(dim)        joins all tensors to one
//   chunk(count, dim)       cuts one tensor into `count` equal ones
//   transpose(a, b)         swaps two dimensions of each tensor
//   reshape(size, ...)      gives each tensor another shape with as many elements; one size may be -1
//   swap_halves(dim)        swaps the halves of each tensor: [shift, scale] to [scale, shift]
//   swap_groups(dim, outer, inner)
//                           `dim` counts [outer, inner, rest]; makes it count [inner, outer, rest], as qkv that is
//                           stored head by head: [heads, 3, size] to [3, heads, size]
//   deinterleave(dim, head) in each `head` elements of `dim`: x0 y0 x1 y1 ... to x0 x1 ... y0 y1 ..., as rotary
//                           embeddings order the rows of a head
//   interleave(dim, head)   the reverse
//   prepend_zeros(dim)      puts one zero element in front of each tensor
//   drop_first(dim)         drops the first element of each tensor
//   cast(from, to)          gives each tensor, which has the dtype `from`, the dtype `to`, which must hold every number
//                           exactly
//   resample_bicubic(dim, first, height, width)
//                           `dim` counts `first` elements and then the rows of a square grid; makes the grid
//                           [height, width] as torch's interpolate(size=, mode="bicubic") does. A grid of that size
//                           stays as it is
//   resample_antialias(dim, first, height, width)
//                           the same with antialias=True
//   chain_convolutions(count)
//                           the tensors are weights and biases of convolutions, weight, bias, weight, bias, ..., of
//                           stride 1 without groups. Makes one of the first `count`, of which each takes what the one
//                           before gives and only the first may have padding
//   add_convolutions(count) the same for convolutions that take the same and whose results are added, with the middles
//                           of their kernels on each other
struct Operation {
  const OperationType* type;
  std::vector<int64_t> arguments;  // Dtypes as DTypeArgument gives them.

  // "concatenate(0)".
  std::string text() const;

  // Replaces dtype and shapes of the inputs by those of the results. InvalidArgument: why they do not fit.
  absl::Status Infer(DType* dtype, std::vector<Shape>* shapes) const;

  // The results for `inputs`, whose dtype and shapes fit. If `copies()` is false, they are views of the inputs' memory.
  //   FailedPrecondition  the dtype of the results lacks a number
  absl::StatusOr<std::vector<Array>> Apply(std::vector<Array> inputs) const;
  bool copies() const;

  // Whether the results for tensors of these shapes have other numbers than the tensors.
  bool ChangesNumbers(const std::vector<Shape>& inputs) const;

  // The operation that takes the results for `inputs` tensors back to them; nullopt where the results do not tell.
  absl::optional<Operation> Inverse(size_t inputs) const;

  bool operator==(const Operation&) const = default;
};

// A dtype as an argument of an operation, and the reverse; nullopt for a number.
int64_t DTypeArgument(DType dtype);
absl::optional<DType> ArgumentDType(int64_t argument);

// InvalidArgument: no operation has this name, with the nearest, or it has other arguments.
absl::StatusOr<Operation> MakeOperation(absl::string_view name, std::vector<int64_t> arguments);

// The number of tensors that `operations`, in this order, make of `inputs` tensors; nullopt if they do not accept that
// number.
absl::optional<size_t> CountResults(absl::Span<const Operation> operations, size_t inputs);

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

// chain_convolutions, add_convolutions.
absl::Span<const OperationType* const> ConvolutionOperations();

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_OPERATION_H_
