#include "common/torchscript/parity/map_tensors.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

using Keeps = absl::FunctionRef<bool(absl::string_view path)>;
using Map = absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)>;
using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

c10::IValue MapBelow(const c10::IValue& value, const std::string& element, Map map) {
  if (value.isTensor()) return map(element, value.toTensor());
  if (value.isTuple()) {
    std::vector<c10::IValue> items = value.toTupleRef().elements().vec();
    for (size_t i = 0; i < items.size(); ++i) items[i] = MapBelow(items[i], JoinPath(element, absl::StrCat(i)), map);
    return c10::ivalue::Tuple::createNamed(std::move(items), value.toTuple()->type());
  }
  if (value.isList()) {
    c10::impl::GenericList list = value.toList().copy();
    for (size_t i = 0; i < list.size(); ++i) {
      list.set(i, MapBelow(list.get(i), JoinPath(element, absl::StrCat(i)), map));
    }
    return list;
  }
  if (value.isGenericDict() && value.toGenericDict().keyType()->kind() == c10::TypeKind::StringType) {
    const c10::impl::GenericDict from = value.toGenericDict();
    c10::impl::GenericDict dict = from.copy();
    for (const auto& entry : from) {
      dict.insert_or_assign(entry.key(), MapBelow(entry.value(), JoinPath(element, entry.key().toStringRef()), map));
    }
    return dict;
  }
  return value;
}

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

c10::IValue MapTensors(const c10::IValue& value, Map map) { return MapBelow(value, "", map); }

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
