#ifndef MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_
#define MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_

#include <concepts>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/optional.h"
#include "common/source/source_input.h"
#include "common/source/take.h"
#include "common/source/zeros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// What fills a slot: an operation over tensors of checkpoints. Its result is known by shape and dtype from the headers;
// elements are read only through `view` and `Evaluate`.
//
//   SlotSource source = Take{{checkpoint, &tensor}};
//   if (source.shape() == slot.shape) ... source.Evaluate(buffer);
//
// A new operation is a struct with the members of `Take`, in a header of its own, and one more alternative of
// `Operation`.
class SlotSource {
 public:
  using Operation = std::variant<Take, Zeros>;

  template <std::convertible_to<Operation> AnyOperation>
  SlotSource(AnyOperation operation) : operation_(std::move(operation)) {}

  // Of the result.
  const Shape& shape() const;
  DType dtype() const;

  // The tensors that the operation reads; none for zeros.
  std::vector<SourceInput> inputs() const;

  // The result as it is in the files, valid while their checkpoints are open; nullopt if it must be evaluated.
  absl::optional<TensorView> view() const;

  // Writes the result's elements to `out` in row-major order.
  void Evaluate(char* out) const;

  // Null unless the operation is Zeros.
  const Zeros* zeros() const { return std::get_if<Zeros>(&operation_); }

  // True for the same operation over the same elements.
  bool operator==(const SlotSource&) const = default;

 private:
  Operation operation_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_
