#ifndef MODELPORT_COMMON_OPERATION_SLOT_SOURCE_H_
#define MODELPORT_COMMON_OPERATION_SLOT_SOURCE_H_

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/constant.h"
#include "common/operation/operation.h"
#include "common/operation/source_input.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// The operation that gives one tensor as it is.
struct Take {
  SourceInput input;

  const Shape& shape() const { return input.tensor->shape; }
  DType dtype() const { return input.tensor->dtype; }
  std::vector<SourceInput> inputs() const { return {input}; }
  absl::optional<TensorView> view() const { return ViewTensor(input.checkpoint, *input.tensor); }
  std::string operation() const { return ""; }
  absl::Status Evaluate(char* out) const {
    CopyRowMajor(*view(), out);
    return absl::OkStatus();
  }

  bool operator==(const Take&) const = default;
};

class SlotSource;

// One of the results of operations over other sources. Has the members of SlotSource.
class Computed {
 public:
  // The result with index `result`. `inputs` are not empty, and CountResults of their number is more than `result`.
  //   InvalidArgument  the inputs have different dtypes, or an operation does not accept their dtype or shapes:
  //                    chunk(3, 0): 3 does not divide dimension 0 of [64, 384]
  static absl::StatusOr<Computed> Make(std::vector<SlotSource> inputs, absl::Span<const Operation> operations,
                                       size_t result);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  std::vector<SourceInput> inputs() const;
  absl::optional<TensorView> view() const;
  std::string operation() const;
  absl::Status Evaluate(char* out) const;

  const std::vector<SlotSource>& sources() const { return sources_; }
  const std::vector<Operation>& operations() const { return operations_; }
  size_t result() const { return result_; }

  // Whether an operation, also one of `sources`, gives other numbers than the tensors have.
  bool changes_numbers() const { return changes_numbers_; }

  bool operator==(const Computed&) const;

 private:
  Computed() = default;

  absl::StatusOr<Array> Apply() const;

  std::vector<SlotSource> sources_;
  std::vector<Operation> operations_;
  size_t result_ = 0;
  Shape shape_;
  DType dtype_;
  bool changes_numbers_ = false;
};

// What fills a slot, or a key of a file in another layout: a tensor of a checkpoint, a constant, or operations over
// other sources. Its result is known by shape and dtype from the headers; elements are read only through `view` and
// `Evaluate`.
//
//   SlotSource source = Take{{checkpoint, &tensor}};
//   if (source.shape() == slot.shape) ... source.Evaluate(buffer);
class SlotSource {
 public:
  using Kind = std::variant<Take, Constant, Computed>;

  template <std::convertible_to<Kind> AnyKind>
  SlotSource(AnyKind kind) : kind_(std::move(kind)) {}

  // Of the result.
  const Shape& shape() const;
  DType dtype() const;

  // The tensors that it reads; none for a constant.
  std::vector<SourceInput> inputs() const;

  // The result as it is in the files, valid while their checkpoints are open; nullopt if it must be evaluated.
  absl::optional<TensorView> view() const;

  // What is done with the tensors: "concatenate(0)", "chunk(2, 0)[1]" for the second result; "" if one is taken as it
  // is; "zeros" or "constant(1)" for a constant.
  std::string operation() const;

  // Writes the result's elements to `out` in row-major order.
  //   FailedPrecondition  the result's dtype lacks a number: cast(int64, int8): int8 has no 300
  absl::Status Evaluate(char* out) const;

  // Null unless operations compute it.
  const Computed* computed() const { return std::get_if<Computed>(&kind_); }

  // Null unless it is a constant.
  const Constant* constant() const { return std::get_if<Constant>(&kind_); }

  // True for the same operations over the same elements.
  bool operator==(const SlotSource&) const = default;

 private:
  Kind kind_;
};

// Verifies the CRC-32 of every storage of `checkpoint` that `sources` read. DataLoss names the first that differs.
absl::Status VerifyInputs(const Checkpoint& checkpoint, absl::Span<const SlotSource> sources);

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_SLOT_SOURCE_H_
