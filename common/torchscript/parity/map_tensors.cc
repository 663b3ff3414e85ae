#include "common/torchscript/parity/map_tensors.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

using Map = absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)>;

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

}  // namespace

c10::IValue MapTensors(const c10::IValue& value, Map map) { return MapBelow(value, "", map); }

}  // namespace modelport
