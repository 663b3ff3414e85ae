#include "artifact/build/target_module.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clone.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "common/expression/expression.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/image_size.h"
#include "common/tensor/shape.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/proof/example.h"
#include "common/torchscript/runtime/operator_table.h"
#include "common/torchscript/script/build_module.h"
#include "common/torchscript/script/keep_method.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Module;

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

// $0 method, $1 and $2 its arguments, $3 and $4 height and width, $5 buffer.
constexpr char kMethod[] =
    "def $0(self, $1: int, $2: int) -> Tensor:\n"
    "  assert $1 == $3 and $2 == $4, \"this artifact takes images of $3x$4 pixels only, height x width, as it was "
    "exported with --static_shape=$3x$4: give it such images, or export the model without --static_shape\"\n"
    "  return self.$5\n";

Module Submodule(Module module, const std::string& path) {
  for (const absl::string_view name : absl::StrSplit(path, '.', absl::SkipEmpty())) {
    module = module.attr(std::string(name)).toModule();
  }
  return module;
}

absl::StatusOr<at::Tensor> Compute(const Module& module, const std::string& method, const ImageSize& size) {
  ASSIGN_OR_RETURN(const Call call, ParseCall(absl::StrCat(method, "(", size.height, ", ", size.width, ")")));
  ASSIGN_OR_RETURN(const c10::IValue table, RunExample(module, call));
  // A method may return a parameter, or a part of a larger tensor.
  return CatchTorch([&] { return table.toTensor().clone(at::MemoryFormat::Contiguous); });
}

// Makes `name` of all modules of this type return `buffer`.
void ReplaceMethod(const c10::ClassTypePtr& type, const std::string& name, const ImageSize& size) {
  const torch::jit::Function& method = type->getMethod(name);
  const std::vector<c10::Argument>& arguments = method.getSchema().arguments();
  const std::string text = absl::Substitute(kMethod, name, arguments[1].name(), arguments[2].name(), size.height,
                                            size.width, TableName(name));
  const std::shared_ptr<torch::jit::CompilationUnit> unit = type->compilation_unit();
  // The unit owns the method, so the type forgets it first.
  const c10::QualifiedName removed = method.qualname();
  type->unsafeRemoveMethod(name);
  unit->unsafeRemoveMethod(removed);
  torch::jit::Parser parser(std::make_shared<torch::jit::Source>(text, "--static_shape", 1));
  const torch::jit::Def def(parser.parseFunction(/*is_method=*/true));
  const torch::jit::SimpleSelf self(type);
  unit->define(*type->name(), {}, {}, {def}, {torch::jit::nativeResolver()}, &self);
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

absl::Status FixSize(const std::vector<SizeTable>& tables, const ImageSize& size, Module& module) {
  const torch::jit::GraphOptimizerEnabledGuard optimiser_off(/*state=*/false);
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> computed;
  for (const SizeTable& table : tables) {
    ASSIGN_OR_RETURN(const Module owner, CatchTorch([&] { return Submodule(module, table.module); }));
    absl::StatusOr<at::Tensor> tensor = Compute(owner, table.method, size);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("--static_shape=", ImageSizeString(size)));
    computed.push_back(*std::move(tensor));
  }
  return CatchTorch([&] {
    for (size_t i = 0; i < tables.size(); ++i) {
      Module owner = Submodule(module, tables[i].module);
      // The first module of a class has the buffer declared in it.
      const bool is_first = !owner.type()->hasAttribute(TableName(tables[i].method));
      owner.register_buffer(TableName(tables[i].method), computed[i]);
      if (is_first) ReplaceMethod(owner.type(), tables[i].method, size);
    }
  });
}

}  // namespace modelport
