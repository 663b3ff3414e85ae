#include "common/torchscript/parity/settings.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace modelport {
namespace {

bool IsItems(const c10::IValue& value) { return value.isList() || value.isTuple(); }

std::vector<c10::IValue> Elements(const c10::IValue& value) {
  if (value.isTuple()) return value.toTupleRef().elements().vec();
  const c10::impl::GenericList list = value.toList();
  return {list.begin(), list.end()};
}

bool IsSetting(const c10::IValue& value) {
  if (!IsItems(value)) {
    return value.isBool() || value.isInt() || value.isDouble() || value.isString() || value.isNone();
  }
  const std::vector<c10::IValue> items = Elements(value);
  return std::all_of(items.begin(), items.end(), IsSetting);
}

bool Equal(const c10::IValue& a, const c10::IValue& b) {
  if (IsItems(a) && IsItems(b)) {
    const std::vector<c10::IValue> left = Elements(a), right = Elements(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), Equal);
  }
  if (IsItems(a) != IsItems(b)) {
    // Upstream may write a size of two equal sides as one number.
    const std::vector<c10::IValue> items = Elements(IsItems(a) ? a : b);
    return !items.empty() &&
           std::all_of(items.begin(), items.end(), [&](const auto& item) { return Equal(item, IsItems(a) ? b : a); });
  }
  if (a.isBool() || b.isBool()) {
    // An artifact for a host with knobs may hold 1 in the place of true.
    const auto is_flag = [](const c10::IValue& value) { return value.isBool() || value.isInt(); };
    return is_flag(a) && is_flag(b) && a.toScalar().to<int64_t>() == b.toScalar().to<int64_t>();
  }
  if (a.isScalar() && b.isScalar()) return a.toScalar().to<double>() == b.toScalar().to<double>();
  if (a.isString() && b.isString()) return a.toStringRef() == b.toStringRef();
  return a.isNone() && b.isNone();
}

std::string Text(const c10::IValue& value) {
  if (value.isDouble()) return absl::StrFormat("%.9g", value.toDouble());
  if (IsItems(value)) {
    return absl::StrCat(
        "[",
        absl::StrJoin(Elements(value), ", ",
                      [](std::string* out, const c10::IValue& item) { absl::StrAppend(out, Text(item)); }),
        "]");
  }
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

Settings FindSettings(const torch::jit::Module& module) {
  Settings settings;
  for (const auto& submodule : module.named_modules()) {
    std::map<std::string, c10::IValue>& own = settings[submodule.name];
    const c10::ClassTypePtr type = submodule.value.type();
    for (size_t i = 0; i < type->numConstants(); ++i) {
      if (IsSetting(type->getConstant(i))) own.emplace(type->getConstantName(i), type->getConstant(i));
    }
    for (const auto& attribute : submodule.value.named_attributes(/*recurse=*/false)) {
      if (IsSetting(attribute.value)) own.emplace(attribute.name, attribute.value);
    }
    // The mode of the whole, which models here do not depend on.
    own.erase("training");
  }
  return settings;
}

SettingsComparison CompareSettings(const Settings& expected, const Settings& actual) {
  SettingsComparison comparison;
  for (const auto& [path, settings] : expected) {
    const auto own = actual.find(path);
    if (own == actual.end()) continue;
    for (const auto& [name, value] : settings) {
      const auto found = own->second.find(name);
      if (found == own->second.end()) continue;
      if (Equal(value, found->second)) {
        ++comparison.equal;
      } else {
        comparison.differences.push_back({path, name, Text(value), Text(found->second)});
      }
    }
  }
  return comparison;
}

}  // namespace modelport
