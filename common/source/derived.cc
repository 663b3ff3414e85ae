#include "common/source/derived.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

Array ArrayOf(const SlotSource& slot) {
  if (absl::optional<TensorView> view = slot.view()) return {*std::move(view)};
  const std::shared_ptr<char[]> memory =
      std::make_shared_for_overwrite<char[]>(*ElementCount(slot.shape()) * ByteSize(slot.dtype()));
  slot.Evaluate(memory.get());
  return {{slot.dtype(), slot.shape(), RowMajorStrides(slot.shape()), memory.get()}, memory};
}

}  // namespace

absl::StatusOr<Derived> Derived::Make(std::vector<SlotSource> slots, absl::Span<const Operation> operations,
                                      size_t result) {
  std::vector<Shape> shapes;
  for (const SlotSource& slot : slots) {
    shapes.push_back(slot.shape());
    if (slot.dtype() != slots.front().dtype()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the tensors have different dtypes: ", DTypeName(slots.front().dtype()), " and ", DTypeName(slot.dtype())));
    }
  }
  ASSIGN_OR_RETURN(shapes, ResultShapes(operations, std::move(shapes)));
  Derived derived;
  derived.slots_ = std::move(slots);
  derived.operations_.assign(operations.begin(), operations.end());
  derived.result_ = result;
  derived.shape_ = std::move(shapes[result]);
  return derived;
}

absl::optional<TensorView> Derived::view() const {
  if (std::any_of(operations_.begin(), operations_.end(), std::mem_fn(&Operation::copies))) return absl::nullopt;
  for (const SlotSource& slot : slots_) {
    if (!slot.view()) return absl::nullopt;
  }
  return Apply().view;
}

void Derived::Evaluate(char* out) const {
  if (operations_.empty()) return slots_[result_].Evaluate(out);
  CopyRowMajor(Apply().view, out);
}

Array Derived::Apply() const {
  std::vector<Array> arrays;
  for (const SlotSource& slot : slots_) arrays.push_back(ArrayOf(slot));
  return std::move(ApplyAll(operations_, std::move(arrays))[result_]);
}

}  // namespace modelport
