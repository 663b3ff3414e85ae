#include "common/torchscript/proof/nonfinite_outputs.h"

#include <ATen/core/Tensor.h>

#include <sstream>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

void FindInTensor(const at::Tensor& tensor, const std::string& name, std::vector<NonfiniteOutput>& found) {
  if (!tensor.is_floating_point()) return;
  const int64_t nan = tensor.isnan().sum().item<int64_t>(), infinite = tensor.isinf().sum().item<int64_t>();
  if (nan + infinite > 0) found.push_back({name, tensor.numel(), nan, infinite});
}

std::string Item(const std::string& name, const c10::IValue& key) {
  std::ostringstream text;
  if (key.isString()) {
    text << key.toStringRef();
  } else {
    text << key;
  }
  return absl::StrCat(name, "[", text.str(), "]");
}

void Find(const c10::IValue& value, const std::string& name, std::vector<NonfiniteOutput>& found) {
  if (value.isTensor()) FindInTensor(value.toTensor(), name, found);
  if (value.isTuple() || value.isList()) {
    const std::vector<c10::IValue> items =
        value.isTuple() ? value.toTupleRef().elements().vec() : value.toListRef().vec();
    for (size_t i = 0; i < items.size(); ++i) Find(items[i], absl::StrCat(name, "[", i, "]"), found);
  }
  if (!value.isGenericDict()) return;
  for (const auto& entry : value.toGenericDict()) Find(entry.value(), Item(name, entry.key()), found);
}

}  // namespace

std::vector<NonfiniteOutput> FindNonfinite(const c10::IValue& output, const std::string& name) {
  std::vector<NonfiniteOutput> found;
  Find(output, name, found);
  return found;
}

}  // namespace modelport
