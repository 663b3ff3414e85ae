#include "artifact/build/target_module.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "artifact/build/fix_size.h"
#include "common/status/status_macros.h"
#include "common/tensor/image_size.h"
#include "common/tensor/shape.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/runtime/operator_table.h"
#include "common/torchscript/script/build_module.h"
#include "common/torchscript/script/keep_method.h"

namespace modelport {

namespace {

// A host calls only forward. Other methods could have operators that an old runtime lacks.
absl::Status KeepForward(const ModuleType& wrapper, const Target& target, torch::jit::Module& module) {
  const absl::Status kept = KeepMethod(module, "forward");
  if (!absl::IsNotFound(kept)) return kept;
  return absl::InvalidArgumentError(absl::StrCat(MarkString(wrapper.mark), ": a wrapper for ", target.name,
                                                 " wants a method forward, ", wrapper.name(), " has none"));
}

// The call with images of `size`: shapes of four or more dimensions are those of images, [B, 3, H, W] or
// [B, N, 3, H, W].
Call WithImageSize(const Call& call, const ImageSize& size) {
  std::vector<std::string> arguments;
  for (const Expression& argument : call.positional) {
    absl::StatusOr<Value> value = argument.Evaluate({});
    Shape* const shape = value.ok() ? std::get_if<Shape>(&*value) : nullptr;
    if (shape == nullptr || shape->size() < 4) {
      arguments.push_back(argument.text());
      continue;
    }
    shape->end()[-2] = size.height;
    shape->end()[-1] = size.width;
    arguments.push_back(ShapeString(*shape));
  }
  absl::StatusOr<Call> fixed = ParseCall(absl::StrCat(call.type, "(", absl::StrJoin(arguments, ", "), ")"));
  if (!fixed.ok()) return call;
  fixed->place = call.place;
  return *std::move(fixed);
}

}  // namespace

absl::StatusOr<torch::jit::Module> BuildTargetModule(const TargetTree& tree, const std::vector<at::Tensor>& tensors,
                                                     const Target& target, const Runtime* runtime) {
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(*tree.whole, tensors, OperatorsOf(runtime)));
  if (target.wraps) RETURN_IF_ERROR(KeepForward(*tree.whole->root.type, target, module));
  RETURN_IF_ERROR(CheckEntryPoints(module, tree.whole->entry_points));
  if (tree.static_shape) RETURN_IF_ERROR(FixSize(tree.tables, *tree.static_shape, module));
  return module;
}

std::vector<Call> TargetExamples(const CatalogEntry& entry, const TargetTree& tree) {
  const std::vector<Call>& examples = tree.is_wrapped() ? tree.whole->interface->examples : entry.plugin->examples;
  if (!tree.static_shape) return examples;
  std::vector<Call> fixed;
  for (const Call& example : examples) {
    Call call = WithImageSize(example, *tree.static_shape);
    const auto is_it = [&](const Call& other) { return other.text == call.text; };
    if (std::none_of(fixed.begin(), fixed.end(), is_it)) fixed.push_back(std::move(call));
  }
  return fixed;
}

}  // namespace modelport
