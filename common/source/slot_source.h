#ifndef MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_
#define MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_

#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/optional.h"
#include "common/source/computed.h"
#include "common/source/source_input.h"
#include "common/source/take.h"
#include "common/source/zeros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// What fills a slot: a tensor of a checkpoint, zeros, or operations over tensors. Its result is known by shape and
// dtype from the headers; elements are read only through `view` and `Evaluate`.
//
//   SlotSource source = Take{{checkpoint, &tensor}};
//   if (source.shape() == slot.shape) ... source.Evaluate(buffer);
class SlotSource {
 public:
  using Kind = std::variant<Take, Zeros, Computed>;

  template <std::convertible_to<Kind> AnyKind>
  SlotSource(AnyKind kind) : kind_(std::move(kind)) {}

  // Of the result.
  const Shape& shape() const;
  DType dtype() const;

  // The tensors that it reads; none for zeros.
  std::vector<SourceInput> inputs() const;

  // The result as it is in the files, valid while their checkpoints are open; nullopt if it must be evaluated.
  absl::optional<TensorView> view() const;

  // What is done with the tensors: "concatenate(0)", "chunk(2, 0)[1]" for the second result; "" if one is taken as it
  // is, "zeros" for zeros.
  std::string operation() const;

  // Writes the result's elements to `out` in row-major order.
  void Evaluate(char* out) const;

  // Null unless operations compute it.
  const Computed* computed() const { return std::get_if<Computed>(&kind_); }

  // Null unless it is zeros.
  const Zeros* zeros() const { return std::get_if<Zeros>(&kind_); }

  // True for the same operations over the same elements.
  bool operator==(const SlotSource&) const = default;

 private:
  Kind kind_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_SOURCE_SLOT_SOURCE_H_
