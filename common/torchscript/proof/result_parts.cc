#include "common/torchscript/proof/result_parts.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

bool IsTensor(const c10::Type& type) { return type.kind() == c10::TypeKind::TensorType; }

bool HasTensors(const c10::Type& type) {
  const auto& contained = type.containedTypes();
  return IsTensor(type) ||
         std::any_of(contained.begin(), contained.end(), [](const auto& inner) { return HasTensors(*inner); });
}

bool IsTensorList(const c10::Type& type) { return type.kind() == c10::TypeKind::ListType && HasTensors(type); }

void AddParts(const c10::Type& type, const std::string& place, std::vector<ResultPart>& parts) {
  if (type.kind() == c10::TypeKind::TupleType) {
    const auto& elements = type.containedTypes();
    for (size_t i = 0; i < elements.size(); ++i) AddParts(*elements[i], absl::StrCat(place, "[", i, "]"), parts);
  } else if (IsTensorList(type)) {
    AddParts(*type.containedTypes()[0], absl::StrCat(place, "[i]"), parts);
  } else {
    parts.push_back({place, IsTensor(type)});
  }
}

// Adds the values in `result` to `values`, from `next` on, which becomes the part after them.
void Split(const c10::IValue& result, const c10::Type& type, size_t& next,
           std::vector<std::vector<c10::IValue>>& values) {
  if (type.kind() == c10::TypeKind::TupleType) {
    const auto& types = type.containedTypes();
    for (size_t i = 0; i < types.size(); ++i) Split(result.toTupleRef().elements()[i], *types[i], next, values);
  } else if (IsTensorList(type)) {
    const c10::Type& item_type = *type.containedTypes()[0];
    for (const c10::IValue& item : result.toListRef()) {
      size_t part = next;
      Split(item, item_type, part, values);
    }
    next += PartsOf(item_type).size();
  } else {
    values[next++].push_back(result);
  }
}

}  // namespace

bool IsTensorDict(const c10::Type& type) {
  return type.kind() == c10::TypeKind::DictType && type.containedTypes()[0]->kind() == c10::TypeKind::StringType &&
         IsTensor(*type.containedTypes()[1]);
}

std::vector<ResultPart> PartsOf(const c10::Type& type) {
  std::vector<ResultPart> parts;
  AddParts(type, "result", parts);
  return parts;
}

std::vector<std::vector<c10::IValue>> SplitResult(const c10::IValue& result, const c10::Type& type) {
  std::vector<std::vector<c10::IValue>> values(PartsOf(type).size());
  size_t next = 0;
  Split(result, type, next, values);
  return values;
}

}  // namespace modelport
