#include "common/parity/float64_copy.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace modelport {
namespace {

using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

ObjectPtr CopyObject(const ObjectPtr& object) {
  ObjectPtr copy = object->copy();
  for (size_t i = 0; i < copy->slots().size(); ++i) {
    const c10::IValue value = copy->getSlot(i);
    if (value.isModule()) {
      copy->setSlot(i, CopyObject(value.toObject()));
    } else if (value.isTensor() && value.toTensor().is_floating_point()) {
      copy->setSlot(i, value.toTensor().to(at::kDouble));
    }
  }
  return copy;
}

}  // namespace

torch::jit::Module Float64Copy(const torch::jit::Module& module) {
  return torch::jit::Module(CopyObject(module._ivalue()));
}

}  // namespace modelport
