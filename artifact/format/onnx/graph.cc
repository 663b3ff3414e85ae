#include "artifact/format/onnx/graph.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport::onnx {
namespace {

using onnx_file::AttributeProto;
using onnx_file::TensorProto;

// Constants of at most so many bytes are compared by their elements, others by their places in memory.
constexpr size_t kSmallConstant = 4096;

AttributeProto Named(absl::string_view name, AttributeProto::AttributeType type) {
  AttributeProto attribute;
  attribute.set_name(std::string(name));
  attribute.set_type(type);
  return attribute;
}

// What tells this constant from others.
std::string ConstantKey(const at::Tensor& tensor) {
  const std::string kind = absl::StrCat(c10::toString(tensor.scalar_type()), absl::StrJoin(tensor.sizes(), "x"), ":");
  if (tensor.nbytes() > kSmallConstant) {
    return absl::StrCat("at", reinterpret_cast<uintptr_t>(tensor.const_data_ptr()), ",",
                        absl::StrJoin(tensor.strides(), ","), ":", kind);
  }
  const at::Tensor dense = tensor.contiguous();
  return absl::StrCat(kind, absl::string_view(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes()));
}

// "axes_1_2" tells more than a number; long ones get none.
std::string ConstantName(const at::Tensor& tensor) {
  const std::string type = tensor.is_floating_point() ? "float" : tensor.scalar_type() == at::kBool ? "bool" : "int";
  if (tensor.numel() > 6) return absl::StrCat(type, "s_", absl::StrJoin(tensor.sizes(), "x"));
  std::string name = type;
  const at::Tensor values = tensor.to(at::kDouble).reshape(-1).contiguous();
  for (int64_t i = 0; i < values.numel(); ++i) absl::StrAppend(&name, "_", values.const_data_ptr<double>()[i]);
  for (char& c : name) {
    if (c == '-') c = 'm';
    if (c == '.' || c == '+') c = 'p';
  }
  return name;
}

// Gives values of `graph` and of the branches within it the names that `names` has for them.
void Rename(const std::map<std::string, std::string>& names, onnx_file::GraphProto& graph) {
  const auto rename = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (onnx_file::NodeProto& node : *graph.mutable_node()) {
    for (std::string& input : *node.mutable_input()) rename(input);
    for (std::string& output : *node.mutable_output()) rename(output);
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) Rename(names, *attribute.mutable_g());
    }
  }
  for (onnx_file::ValueInfoProto& output : *graph.mutable_output()) rename(*output.mutable_name());
}

// Removes the nodes of `graph` that nothing `used` needs, and adds what the others use.
void KeepUsed(onnx_file::GraphProto& graph, std::set<std::string>& used) {
  for (const auto& output : graph.output()) used.insert(output.name());
  std::vector<onnx_file::NodeProto> kept;
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    onnx_file::NodeProto& node = *graph.mutable_node(i);
    const bool is_used = std::any_of(node.output().begin(), node.output().end(),
                                     [&](const std::string& name) { return used.count(name) > 0; });
    if (!is_used) continue;
    used.insert(node.input().begin(), node.input().end());
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) KeepUsed(*attribute.mutable_g(), used);
    }
    kept.push_back(std::move(node));
  }
  graph.clear_node();
  for (auto node = kept.rbegin(); node != kept.rend(); ++node) *graph.add_node() = std::move(*node);
}

}  // namespace

AttributeProto Attribute(absl::string_view name, int64_t value) {
  AttributeProto attribute = Named(name, AttributeProto::INT);
  attribute.set_i(value);
  return attribute;
}

AttributeProto Attribute(absl::string_view name, double value) {
  AttributeProto attribute = Named(name, AttributeProto::FLOAT);
  attribute.set_f(static_cast<float>(value));
  return attribute;
}

AttributeProto Attribute(absl::string_view name, absl::string_view value) {
  AttributeProto attribute = Named(name, AttributeProto::STRING);
  attribute.set_s(std::string(value));
  return attribute;
}

AttributeProto Attribute(absl::string_view name, const std::vector<int64_t>& value) {
  AttributeProto attribute = Named(name, AttributeProto::INTS);
  for (const int64_t item : value) attribute.add_ints(item);
  return attribute;
}

TensorProto::DataType DataTypeOf(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return TensorProto::FLOAT;
    case at::kHalf:
      return TensorProto::FLOAT16;
    case at::kBFloat16:
      return TensorProto::BFLOAT16;
    case at::kDouble:
      return TensorProto::DOUBLE;
    case at::kByte:
      return TensorProto::UINT8;
    case at::kChar:
      return TensorProto::INT8;
    case at::kInt:
      return TensorProto::INT32;
    case at::kLong:
      return TensorProto::INT64;
    case at::kBool:
      return TensorProto::BOOL;
    default:
      return TensorProto::UNDEFINED;
  }
}

onnx_file::ValueInfoProto ValueInfo(const std::string& name, at::ScalarType type, const std::vector<Number>& shape) {
  onnx_file::ValueInfoProto info;
  info.set_name(name);
  onnx_file::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(DataTypeOf(type));
  onnx_file::TensorShapeProto& sizes = *tensor.mutable_shape();
  for (const Number& size : shape) {
    onnx_file::TensorShapeProto::Dimension& dimension = *sizes.add_dim();
    if (size.AsInt()) {
      dimension.set_dim_value(*size.AsInt());
    } else {
      dimension.set_dim_param(size.text());
    }
  }
  return info;
}

std::vector<std::string> Graph::Add(absl::string_view operation, const std::vector<std::string>& inputs,
                                    const std::vector<AttributeProto>& attributes, const std::string& scope,
                                    int outputs) {
  onnx_file::NodeProto node;
  node.set_op_type(std::string(operation));
  for (const std::string& input : inputs) node.add_input(input);
  for (const AttributeProto& attribute : attributes) *node.add_attribute() = attribute;
  const std::string key = absl::StrCat("node ", outputs, node.SerializeAsString());
  if (const std::string* const known = Find(key)) {
    std::vector<std::string> names = {*known};
    for (int i = 1; i < outputs; ++i) names.push_back(*Find(absl::StrCat(key, i)));
    return names;
  }
  const std::string name = UniqueName(scope.empty() ? std::string(operation) : absl::StrCat(scope, "/", operation));
  node.set_name(name);
  std::vector<std::string> names = {name};
  for (int i = 1; i < outputs; ++i) names.push_back(UniqueName(absl::StrCat(name, "_", i)));
  for (int i = 0; i < outputs; ++i) {
    node.add_output(names[i]);
    Remember(i == 0 ? key : absl::StrCat(key, i), names[i]);
  }
  *scopes_.back().graph.add_node() = std::move(node);
  return names;
}

std::string Graph::Constant(const at::Tensor& tensor, const std::string& name) {
  // Weights keep their names, also where their elements are equal.
  const auto [entry, is_new] = constants_.try_emplace(name.empty() ? ConstantKey(tensor) : absl::StrCat("name ", name));
  if (is_new) {
    entry->second = UniqueName(name.empty() ? ConstantName(tensor) : name);
    model_.constants.push_back(entry->second);
    model_.tensors.push_back(tensor);
  }
  return entry->second;
}

std::string Graph::Constant(const std::vector<int64_t>& values) {
  return Constant(at::tensor(values, at::TensorOptions(at::kLong)));
}

std::string Graph::UniqueName(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(wanted, "_", i);
  return name;
}

Graph::Scope Graph::EndBranch(const std::string& name) {
  Scope branch = std::move(scopes_.back());
  scopes_.pop_back();
  branch.graph.set_name(name);
  return branch;
}

void Graph::AddNodes(const Scope& branch) {
  scopes_.back().graph.mutable_node()->MergeFrom(branch.graph.node());
  scopes_.back().known.insert(branch.known.begin(), branch.known.end());
}

const std::string* Graph::Find(const std::string& key) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->known.find(key);
    if (found != scope->known.end()) return &found->second;
  }
  return nullptr;
}

void Graph::NameOutput(const std::string& value, const std::string& name) {
  const auto& nodes = scopes_.front().graph.node();
  const bool is_result = std::any_of(nodes.begin(), nodes.end(), [&](const onnx_file::NodeProto& node) {
    return std::find(node.output().begin(), node.output().end(), value) != node.output().end();
  });
  if (is_result && output_names_.try_emplace(value, name).second) return;
  onnx_file::NodeProto& copy = *scopes_.front().graph.add_node();
  copy.set_op_type("Identity");
  copy.set_name(name);
  copy.add_input(value);
  copy.add_output(name);
}

Model Graph::Take(const std::vector<std::string>& outputs) {
  Rename(output_names_, scopes_.front().graph);
  std::set<std::string> used(outputs.begin(), outputs.end());
  KeepUsed(scopes_.front().graph, used);
  Model model{.graph = std::move(scopes_.front().graph)};
  for (size_t i = 0; i < model_.constants.size(); ++i) {
    if (used.count(model_.constants[i]) == 0) continue;
    model.constants.push_back(model_.constants[i]);
    model.tensors.push_back(model_.tensors[i]);
  }
  return model;
}

}  // namespace modelport::onnx
