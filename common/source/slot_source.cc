#include "common/source/slot_source.h"

namespace modelport {

const Shape& SlotSource::shape() const {
  return std::visit([](const auto& operation) -> const Shape& { return operation.shape(); }, operation_);
}

DType SlotSource::dtype() const {
  return std::visit([](const auto& operation) { return operation.dtype(); }, operation_);
}

std::vector<SourceInput> SlotSource::inputs() const {
  return std::visit([](const auto& operation) { return operation.inputs(); }, operation_);
}

absl::optional<TensorView> SlotSource::view() const {
  return std::visit([](const auto& operation) { return operation.view(); }, operation_);
}

void SlotSource::Evaluate(char* out) const {
  std::visit([out](const auto& operation) { operation.Evaluate(out); }, operation_);
}

}  // namespace modelport
