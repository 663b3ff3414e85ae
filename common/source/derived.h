#ifndef MODELPORT_COMMON_SOURCE_DERIVED_H_
#define MODELPORT_COMMON_SOURCE_DERIVED_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/source/array.h"
#include "common/source/operation.h"
#include "common/source/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// A tensor that is made of what fills slots: one of the results of operations over them. It is a tensor of a file in
// another layout. Elements are read only through `view` and `Evaluate`.
class Derived {
 public:
  // What fills one slot, as it is.
  explicit Derived(SlotSource slot) : shape_(slot.shape()) { slots_.push_back(std::move(slot)); }

  // The result with index `result`. `slots` are not empty, and CountResults of their number is more than `result`.
  //   InvalidArgument  the slots have different dtypes, or an operation does not accept their shapes
  static absl::StatusOr<Derived> Make(std::vector<SlotSource> slots, absl::Span<const Operation> operations,
                                      size_t result);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return slots_.front().dtype(); }
  const std::vector<SlotSource>& slots() const { return slots_; }

  // The result as it is in the files, valid while their checkpoints are open; nullopt if it must be evaluated.
  absl::optional<TensorView> view() const;

  // Writes the result's elements to `out` in row-major order.
  void Evaluate(char* out) const;

  // True for the same operations over the same elements.
  bool operator==(const Derived&) const = default;

 private:
  Derived() = default;

  Array Apply() const;

  std::vector<SlotSource> slots_;
  std::vector<Operation> operations_;
  size_t result_ = 0;
  Shape shape_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_SOURCE_DERIVED_H_
