#include "tools/new_plugin/layer_call.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

// The tensors of a module by name.
using Tensors = std::map<absl::string_view, const CheckpointTensor*>;

bool Is(const CheckpointTensor* tensor, const Shape& shape) {
  return IsFloating(tensor->dtype) && tensor->shape == shape;
}

// Whether `tensors` are exactly `names`, in the map's order.
bool Are(const Tensors& tensors, std::initializer_list<absl::string_view> names) {
  return std::equal(tensors.begin(), tensors.end(), names.begin(), names.end(),
                    [](const auto& tensor, absl::string_view name) { return tensor.first == name; });
}

// "Conv2d(3, 64": a call whose first arguments are inputs and outputs.
SizedText BeginCall(absl::string_view type, int64_t inputs, int64_t outputs) {
  return SizedText().Add(type).Add("(").AddSize("inputs", inputs).Add(", ").AddSize("outputs", outputs);
}

// "LayerNorm(384": a call whose first argument is a number of channels.
SizedText BeginCall(absl::string_view type, const Shape& channels) {
  return SizedText().Add(type).Add("(").AddSize("dim", channels[0]);
}

// weight, and bias or not.
absl::optional<LayerCall> FindProjection(const Shape& weight, const CheckpointTensor* bias) {
  const absl::string_view end = bias == nullptr ? ", bias=0)" : ")";
  const bool has_rows = bias == nullptr || Is(bias, {weight[0]});
  if (weight.size() == 2 && has_rows) {
    return LayerCall{BeginCall("Linear", weight[1], weight[0]).Add(end), bias == nullptr ? "or an embedding?" : ""};
  }
  if (weight.size() != 4) return absl::nullopt;
  if (has_rows) {
    SizedText call = BeginCall("Conv2d", weight[1], weight[0]).Add(", kernel=").AddSize("kernel", weight[2]);
    if (weight[2] != weight[3]) call.Add(", kernel_w=").AddSize("kernel_w", weight[3]);
    return LayerCall{call.Add(end), "stride? padding? groups?"};
  }
  if (Is(bias, {weight[1]}) && weight[2] == weight[3]) {
    SizedText call = BeginCall("ConvTranspose2d", weight[0], weight[1]).Add(", kernel=").AddSize("kernel", weight[2]);
    return LayerCall{call.Add(", stride=").AddSize("stride", weight[2]).Add(")"), "stride?"};
  }
  return absl::nullopt;
}

absl::optional<LayerCall> FindBatchNorm(const Tensors& tensors, const Shape& shape) {
  const auto counter = tensors.find("num_batches_tracked");
  const bool has_counter = counter != tensors.end();
  if (has_counter && (counter->second->dtype != DType::kInt64 || !counter->second->shape.empty())) return absl::nullopt;
  for (const auto& [name, tensor] : tensors) {
    if (name != "num_batches_tracked" && !Is(tensor, shape)) return absl::nullopt;
  }
  return LayerCall{BeginCall("BatchNorm2d", shape).Add(")"), "eps?", !has_counter};
}

constexpr char kPlace = '\x01';

}  // namespace

absl::optional<LayerCall> FindLayer(const KeyNode& module) {
  if (!module.children.empty()) return absl::nullopt;
  Tensors tensors;
  for (const KeyNode::Tensor& tensor : module.tensors) tensors.emplace(tensor.name, tensor.key.tensor);
  const auto gamma = tensors.find("gamma"), weight = tensors.find("weight"), bias = tensors.find("bias");
  if (Are(tensors, {"gamma"}) && gamma->second->shape.size() == 1 && IsFloating(gamma->second->dtype)) {
    return LayerCall{BeginCall("LayerScale", gamma->second->shape).Add(")"), "over the last dimension?"};
  }
  if (weight == tensors.end() || !IsFloating(weight->second->dtype)) return absl::nullopt;
  const Shape& shape = weight->second->shape;
  if (shape.size() > 1 && Are(tensors, {"weight"})) return FindProjection(shape, nullptr);
  if (shape.size() > 1 && Are(tensors, {"bias", "weight"})) return FindProjection(shape, bias->second);
  if (shape.size() != 1) return absl::nullopt;
  if (Are(tensors, {"bias", "weight"}) && Is(bias->second, shape)) {
    return LayerCall{BeginCall("LayerNorm", shape).Add(", eps=1e-5)"), "eps? or LayerNorm2d?"};
  }
  if (Are(tensors, {"bias", "running_mean", "running_var", "weight"}) ||
      Are(tensors, {"bias", "num_batches_tracked", "running_mean", "running_var", "weight"})) {
    return FindBatchNorm(tensors, shape);
  }
  return absl::nullopt;
}

SizedText& SizedText::Add(absl::string_view plain) {
  absl::StrAppend(&text, plain);
  return *this;
}

SizedText& SizedText::Add(const SizedText& other) {
  sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
  return Add(other.text);
}

SizedText& SizedText::AddSize(absl::string_view name, int64_t value) {
  text.push_back(kPlace);
  sizes.push_back({std::string(name), value});
  return *this;
}

std::string SizedText::Filled(const std::vector<std::string>& fillings) const {
  std::string filled;
  size_t next = 0;
  for (const char c : text) {
    if (c == kPlace) {
      absl::StrAppend(&filled, fillings[next++]);
    } else {
      filled.push_back(c);
    }
  }
  return filled;
}

}  // namespace modelport
