#include "common/torchscript/parity/typed_copy.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "common/text/dotted_path.h"
#include "common/torchscript/parity/map_tensors.h"

namespace modelport {
namespace {

using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;
using Keeps = absl::FunctionRef<bool(absl::string_view path)>;

ObjectPtr CopyObject(const ObjectPtr& object, at::ScalarType type, const std::string& path, Keeps keeps) {
  ObjectPtr copy = object->copy();
  for (size_t i = 0; i < copy->slots().size(); ++i) {
    const c10::IValue value = copy->getSlot(i);
    if (value.isModule()) {
      const std::string inner = JoinPath(path, object->type()->getAttributeName(i));
      if (!keeps(inner)) copy->setSlot(i, CopyObject(value.toObject(), type, inner, keeps));
    } else if (value.isTensor() && value.toTensor().is_floating_point()) {
      copy->setSlot(i, value.toTensor().to(type));
    }
  }
  return copy;
}

}  // namespace

torch::jit::Module TypedCopy(const torch::jit::Module& module, at::ScalarType type, Keeps keeps) {
  return torch::jit::Module(CopyObject(module._ivalue(), type, "", keeps));
}

std::vector<c10::IValue> TypedCopy(const std::vector<c10::IValue>& values, at::ScalarType type) {
  std::vector<c10::IValue> copies;
  for (const c10::IValue& value : values) {
    copies.push_back(MapTensors(value, [&](const std::string&, const at::Tensor& tensor) {
      return tensor.is_floating_point() ? tensor.to(type) : tensor;
    }));
  }
  return copies;
}

}  // namespace modelport
