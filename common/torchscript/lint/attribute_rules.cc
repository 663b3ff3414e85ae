#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using c10::TypeKind;

bool IsCustomClass(const c10::ClassType& type) {
  return type.name() && absl::StartsWith(type.name()->qualifiedName(), "__torch__.torch.classes.");
}

c10::QualifiedName NameOf(const c10::ClassTypePtr& type) { return *type->name(); }

// True if every runtime reads and writes values of this type.
bool IsStorable(const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::TensorType:
    case TypeKind::IntType:
    case TypeKind::FloatType:
    case TypeKind::BoolType:
    case TypeKind::StringType:
    case TypeKind::DeviceObjType:
    case TypeKind::NoneType:
    case TypeKind::InterfaceType:
      return true;
    case TypeKind::ClassType:
      return !IsCustomClass(type.expectRef<c10::ClassType>());
    case TypeKind::ListType:
    case TypeKind::DictType:
    case TypeKind::TupleType:
    case TypeKind::OptionalType: {
      const auto inner = type.containedTypes();
      return std::all_of(inner.begin(), inner.end(), [](const c10::TypePtr& inner) { return IsStorable(*inner); });
    }
    default:
      return false;
  }
}

// Pickles the attributes of `module` as saving does, and discards the bytes. Tensors and code are left out: both can
// always be saved. Throws the exceptions of LibTorch if an attribute cannot be saved.
void Pickle(const torch::jit::Module& module) {
  std::vector<c10::ClassTypePtr> types;
  torch::jit::Pickler pickler([](const char*, size_t) {}, /*tensor_table=*/nullptr, NameOf, &types,
                              /*get_tensor_id=*/[](const at::Tensor&) { return ""; });
  pickler.protocol();
  pickler.pushIValue(module._ivalue());
  pickler.stop();
}

// Calls `visit` for every attribute of `type` that is not a submodule.
void ForEachAttribute(const c10::ClassType& type,
                      const std::function<void(const std::string& name, const c10::Type& type)>& visit) {
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    const auto owner = type.getAttribute(i)->cast<c10::ClassType>();
    if (owner == nullptr || !owner->is_module()) visit(type.getAttributeName(i), *type.getAttribute(i));
  }
}

}  // namespace

void CheckAttributeTypes(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    ForEachAttribute(*module.value.type(), [&](const std::string& name, const c10::Type& type) {
      if (IsStorable(type)) return;
      findings.push_back({.modules = {module.name},
                          .message = absl::StrCat("attribute ", name, " is of type ", type.annotation_str(),
                                                  ", which not every host can load or save again"),
                          .cure = "keep its state in tensors, numbers, strings, or lists and dictionaries of them"});
    });
  }
  const absl::Status saved = CatchTorch([&] { Pickle(subject.module); });
  if (saved.ok()) return;
  findings.push_back({.modules = {""},
                      .message = absl::StrCat("the module cannot be saved again: ", saved.message()),
                      .cure = "remove what the message names; converting a .pt to a .cat saves it again"});
}

}  // namespace modelport
