#include "common/source/slot_source.h"

namespace modelport {

const Shape& SlotSource::shape() const {
  return std::visit([](const auto& kind) -> const Shape& { return kind.shape(); }, kind_);
}

DType SlotSource::dtype() const {
  return std::visit([](const auto& kind) { return kind.dtype(); }, kind_);
}

std::vector<SourceInput> SlotSource::inputs() const {
  return std::visit([](const auto& kind) { return kind.inputs(); }, kind_);
}

absl::optional<TensorView> SlotSource::view() const {
  return std::visit([](const auto& kind) { return kind.view(); }, kind_);
}

std::string SlotSource::operation() const {
  return std::visit([](const auto& kind) { return kind.operation(); }, kind_);
}

void SlotSource::Evaluate(char* out) const {
  std::visit([out](const auto& kind) { kind.Evaluate(out); }, kind_);
}

}  // namespace modelport
