#include "common/checkpoint/pickled_module.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/pickle/python_objects.h"

namespace modelport {
namespace {

using pickle::Value;

// The package of TorchScript's classes.
constexpr absl::string_view kScript = "__torch__";

// The dictionary of its attributes that the pickle gives an object; null if it gives none.
const Value* StateOf(const pickle::Object& object) {
  if (object.given == nullptr) return nullptr;
  for (const Value* const given : object.given->As<pickle::List>()->items) {
    if (pickle::IsDict(*given)) return given;
  }
  return nullptr;
}

// The texts of a set or list. A set is the call of its class with a list.
void AddTexts(const Value& value, absl::flat_hash_set<absl::string_view>& texts) {
  const std::vector<const Value*>* items = pickle::SequenceItems(value);
  if (const auto* const call = value.As<pickle::Object>()) {
    const Value* const argument = pickle::Argument(*call, 0);
    if (argument != nullptr) items = pickle::SequenceItems(*argument);
  }
  if (items == nullptr) return;
  for (const Value* const item : *items) {
    if (const auto* const text = item->As<pickle::String>()) texts.insert(text->text);
  }
}

}  // namespace

absl::optional<PickledModule> AsModule(const Value& value) {
  const auto* const object = value.As<pickle::Object>();
  const Value* const state = object == nullptr ? nullptr : StateOf(*object);
  if (state == nullptr) return absl::nullopt;
  if (const auto* const type = object->callable->As<pickle::Global>();
      type != nullptr && (type->module == kScript || absl::StartsWith(type->module, absl::StrCat(kScript, ".")))) {
    const std::string full = absl::StrCat(type->module, ".", type->name);
    PickledModule module = {full.substr(kScript.size() + 1), nullptr, nullptr, nullptr, {}, {}};
    module.attributes = state;
    return module;
  }
  PickledModule module = {std::string(absl::StripPrefix(pickle::Describe(value), "an object of class ")),
                          nullptr,
                          nullptr,
                          nullptr,
                          {},
                          {}};
  const absl::Status status = pickle::ForEachEntry(*state, [&](const Value& key, const Value& attribute) {
    const auto* const name = key.As<pickle::String>();
    const absl::string_view text = name == nullptr ? "" : name->text;
    if (text == "_parameters") {
      module.parameters = &attribute;
    } else if (text == "_buffers") {
      module.buffers = &attribute;
    } else if (text == "_modules") {
      module.modules = &attribute;
    } else if (text == "_non_persistent_buffers_set") {
      AddTexts(attribute, module.computed);
    } else {
      module.others.push_back(&attribute);
    }
    return absl::OkStatus();
  });
  for (const Value* const dict : {module.parameters, module.buffers, module.modules}) {
    if (dict == nullptr || !pickle::IsDict(*dict)) return absl::nullopt;
  }
  return status.ok() ? absl::make_optional(std::move(module)) : absl::nullopt;
}

}  // namespace modelport
