#include "common/torchscript/lint/type_size.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/source_line.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

constexpr size_t kMaxParts = 1000;

bool IsNamedOnce(const c10::Type& type) {
  return type.kind() == c10::TypeKind::ClassType || type.kind() == c10::TypeKind::InterfaceType;
}

class TypeSizes {
 public:
  absl::Status CheckBlock(const Block& block) {
    for (const Value* input : block.inputs()) RETURN_IF_ERROR(Check(*input, *block.param_node()));
    for (const Node* node : block.nodes()) {
      for (const Value* output : node->outputs()) RETURN_IF_ERROR(Check(*output, *node));
      for (const Block* inner : node->blocks()) RETURN_IF_ERROR(CheckBlock(*inner));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Check(const Value& value, const Node& node) {
    if (Parts(*value.type(), 0) <= kMaxParts) return absl::OkStatus();
    const SourceLine line = FindSourceLine(node.sourceRange());
    return absl::ResourceExhaustedError(absl::StrCat(line.place, line.place.empty() ? "" : ": ",
                                                     "a type has more than ", kMaxParts,
                                                     " parts\n  nest fewer tuples, or put them into a class"));
  }

  // The number of parts of `type`, which is nested `depth` levels deep; kMaxParts + 1 if it has more parts or levels.
  size_t Parts(const c10::Type& type, size_t depth) {
    if (depth > kMaxParts) return kMaxParts + 1;
    if (IsNamedOnce(type)) return 1;
    if (const auto known = parts_.find(&type); known != parts_.end()) return known->second;
    size_t parts = 1;
    for (const c10::TypePtr& inner : type.containedTypes()) {
      parts = std::min(parts + Parts(*inner, depth + 1), kMaxParts + 1);
    }
    return parts_[&type] = parts;
  }

  absl::flat_hash_map<const c10::Type*, size_t> parts_;
};

}  // namespace

absl::Status CheckTypeSizes(const torch::jit::Module& module) {
  TypeSizes sizes;
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    auto* graph_function = torch::jit::tryToGraphFunction(*function);
    if (graph_function != nullptr) RETURN_IF_ERROR(sizes.CheckBlock(*graph_function->graph()->block()));
  }
  return absl::OkStatus();
}

}  // namespace modelport
