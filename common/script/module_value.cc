#include "common/script/module_value.h"

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

namespace modelport {

using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredTupleValue;
using torch::jit::SugaredValue;
using torch::jit::Value;

std::shared_ptr<SugaredValue> ModuleValue::attr(const SourceRange& range, GraphFunction& function,
                                                const std::string& name) {
  const c10::ClassTypePtr type = this->type();
  if (const auto slot = type->findAttributeSlot(name); slot && type->getAttribute(*slot)->is_module()) {
    torch::jit::Graph& graph = *function.graph();
    Value* submodule = graph.insertNode(graph.createGetAttr(value_, name))->output();
    // A graph numbers its values.
    if (submodule->unique() > kMaxValues) {
      throw ErrorReport(range) << "more than " << kMaxValues << " operations with its loops over submodules unrolled";
    }
    return std::make_shared<ModuleValue>(submodule, lists_);
  }
  if (const auto slot = type->findConstantSlot(name)) {
    return std::make_shared<SimpleValue>(function.graph()->insertConstant(type->getConstant(*slot), range));
  }
  return SimpleValue(value_).attr(range, function, name);
}

bool ModuleValue::hasAttr(const SourceRange&, GraphFunction&, const std::string& name) {
  return type()->hasAttribute(name) || type()->hasConstant(name) || type()->findMethod(name);
}

std::shared_ptr<SugaredValue> ModuleValue::call(const SourceRange& range, GraphFunction& function,
                                                at::ArrayRef<NamedValue> args, at::ArrayRef<NamedValue> kwargs,
                                                size_t n_binders) {
  if (!is_list()) return attr(range, function, "forward")->call(range, function, args, kwargs, n_binders);
  if (args.size() != 1 || !kwargs.empty()) {
    throw ErrorReport(range) << "a list of modules is called with one argument, which goes through all of them";
  }
  Value* x = args[0].value(*function.graph());
  const std::shared_ptr<SugaredTupleValue> items = Items(range, function);
  for (const auto& item : items->tup_) {
    x = item->call(range, function, {NamedValue(range, x)}, {}, 1)->asValue(range, function);
  }
  return std::make_shared<SimpleValue>(x);
}

std::shared_ptr<SugaredTupleValue> ModuleValue::Items(const SourceRange& range, GraphFunction& function) {
  if (!is_list()) throw ErrorReport(range) << "this module is no list of modules";
  std::vector<std::shared_ptr<SugaredValue>> items;
  for (size_t i = 0; i < type()->numAttributes(); ++i)
    items.push_back(attr(range, function, type()->getAttributeName(i)));
  return std::make_shared<SugaredTupleValue>(std::move(items));
}

std::shared_ptr<SugaredValue> ModuleValue::iter(const SourceRange& range, GraphFunction& function) {
  return Items(range, function);
}

std::shared_ptr<SugaredValue> ModuleValue::getitem(const SourceRange& range, GraphFunction& function, Value* index,
                                                   torch::jit::TypePtr type_hint) {
  return Items(range, function)->getitem(range, function, index, type_hint);
}

}  // namespace modelport
