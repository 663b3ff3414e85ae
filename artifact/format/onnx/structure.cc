#include "artifact/format/onnx/structure.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport::onnx {
namespace {

using torch::jit::Node;
using Out = std::vector<Value>;
using MaybeOut = absl::StatusOr<absl::optional<Out>>;

Value Int(int64_t value) { return c10::IValue(value); }

// A node that is run.
struct Step {
  const Node& node;
  std::string name;  // Of its operator.
  const Out& in;
  const Context& context;

  int depth() const { return context.graph.depth(); }

  template <typename Held>
  Held* Get(size_t i) const {
    const auto* const held = i < in.size() ? std::get_if<std::shared_ptr<Held>>(&in[i]) : nullptr;
    return held == nullptr ? nullptr : held->get();
  }

  // A text among the arguments; null if there is none.
  const c10::IValue* Text(size_t i) const {
    const auto* const known = i < in.size() ? std::get_if<c10::IValue>(&in[i]) : nullptr;
    return known != nullptr && known->isString() ? known : nullptr;
  }

  absl::optional<int64_t> KnownInt(size_t i) const {
    const absl::optional<Number> number = i < in.size() ? AsNumber(in[i], context) : absl::nullopt;
    return number ? number->AsInt() : absl::nullopt;
  }

  // The place that argument `i` names among `length`, of which a negative one counts from the end.
  absl::optional<int64_t> Place(size_t i, size_t length) const {
    const int64_t count = static_cast<int64_t>(length);
    const absl::optional<int64_t> place = KnownInt(i);
    if (!place || *place < -count || *place >= count) return absl::nullopt;
    return *place < 0 ? *place + count : *place;
  }

  Out List(Out items) const {
    auto list = std::make_shared<ValueList>();
    list->items = std::move(items);
    list->depth = depth();
    return {Value(std::move(list))};
  }

  // OK if what was made at this depth may be changed here.
  absl::Status CheckChangedHere(int made) const {
    if (made == depth()) return absl::OkStatus();
    return ErrorAt(node, "changes a list or dictionary of a module, or below a condition on sizes");
  }

  absl::Status Error(absl::string_view message) const { return ErrorAt(node, message); }
};

MaybeOut MakeDict(const Step& step) {
  auto dict = std::make_shared<ValueDict>();
  dict->depth = step.depth();
  for (size_t i = 0; i + 1 < step.in.size(); i += 2) {
    const c10::IValue* const key = step.Text(i);
    if (key == nullptr) return step.Error("a dictionary whose keys are no texts");
    dict->items.emplace_back(key->toStringRef(), step.in[i + 1]);
  }
  return Out{Value(std::move(dict))};
}

MaybeOut CompareIdentity(const Step& step) {
  const auto is_none = [&](size_t i) {
    const auto* const known = std::get_if<c10::IValue>(&step.in[i]);
    return known != nullptr && known->isNone();
  };
  if (!is_none(0) && !is_none(1)) return step.Error("compares the identity of two values");
  const bool same = is_none(0) && is_none(1);
  return Out{Value(c10::IValue(same == (step.name == "aten::__is__")))};
}

MaybeOut RunAny(const Step& step) {
  const auto& [node, name, in, context] = step;
  if (name == "prim::ListConstruct" || name == "prim::TupleConstruct") return step.List(in);
  if (name == "prim::DictConstruct") return MakeDict(step);
  if (name == "prim::GetAttr") {
    const auto* const self = std::get_if<c10::IValue>(&in[0]);
    if (self == nullptr || !self->isObject()) return step.Error("takes an attribute of no object");
    const auto object = self->toObject();
    // A list or dictionary of it is copied, so that it cannot be changed.
    return Out{FromIValue(object->getAttr(node.s(c10::attr::name)), kUnchangeable)};
  }
  if (name == "prim::unchecked_cast" || name == "aten::alias") return Out{in[0]};
  if (name == "prim::Uninitialized" || name == "prim::Print" || name == "aten::warn") {
    return Out(node.outputs().size(), Value(c10::IValue()));
  }
  if (name == "aten::format" || name == "aten::str") {
    // A text of what is known may be a key; one with sizes is for people.
    const auto is_known = [](const Value& value) { return std::holds_alternative<c10::IValue>(value); };
    if (std::all_of(in.begin(), in.end(), is_known)) return absl::nullopt;
    return Out{Value(c10::IValue())};
  }
  if (name == "aten::__is__" || name == "aten::__isnot__") return CompareIdentity(step);
  return absl::nullopt;
}

MaybeOut RunOnTensor(const Step& step, const Tensor& tensor) {
  const std::string& name = step.name;
  Shape shape;
  for (const Number& size : tensor.shape) shape.push_back(step.context.facts.Apply(size));
  if (name == "aten::size" && step.in.size() == 1) {
    Out sizes;
    for (const Number& size : shape) sizes.push_back(FromNumber(size));
    return step.List(std::move(sizes));
  }
  if (name == "aten::size") {
    const absl::optional<int64_t> axis = step.Place(1, shape.size());
    if (!axis) return step.Error("asks for the size of no dimension");
    return Out{FromNumber(shape[*axis])};
  }
  if (name == "aten::dim") return Out{Int(static_cast<int64_t>(shape.size()))};
  if (name == "aten::len") return Out{FromNumber(shape.empty() ? Number(int64_t{1}) : shape[0])};
  if (name == "aten::numel") return Out{FromNumber(Elements(shape))};
  if (name == "prim::dtype") return Out{Int(static_cast<int64_t>(tensor.type))};
  if (name == "prim::device") return Out{Value(c10::IValue(c10::Device(c10::kCPU)))};
  if (name == "prim::layout") return Out{Int(static_cast<int64_t>(c10::kStrided))};
  if (name == "prim::is_cuda" || name == "prim::requires_grad") return Out{Value(c10::IValue(false))};
  if (name == "aten::is_floating_point") return Out{Value(c10::IValue(c10::isFloatingType(tensor.type)))};
  return absl::nullopt;
}

MaybeOut SliceList(const Step& step, const ValueList& list) {
  for (size_t i = 1; i < step.in.size(); ++i) {
    if (AsNumber(step.in[i], step.context) && !step.KnownInt(i)) {
      return step.Error("a part of a list that depends on the input's size");
    }
  }
  const int64_t length = static_cast<int64_t>(list.items.size());
  const auto place = [&](size_t i, int64_t otherwise) {
    const int64_t wanted = step.KnownInt(i).value_or(otherwise);
    return std::clamp<int64_t>(wanted < 0 ? wanted + length : wanted, 0, length);
  };
  const int64_t stride = step.KnownInt(3).value_or(1);
  if (stride <= 0) return step.Error("a part of a list from its end to its beginning");
  Out items;
  for (int64_t i = place(1, 0); i < place(2, length); i += stride) items.push_back(list.items[i]);
  return step.List(std::move(items));
}

// Nothing for lists of other values than numbers.
MaybeOut CompareLists(const Step& step, const ValueList& list, const ValueList& other) {
  Number equal(list.items.size() == other.items.size());
  for (size_t i = 0; equal.AsBool() != false && i < list.items.size(); ++i) {
    const absl::optional<Number> a = AsNumber(list.items[i], step.context), b = AsNumber(other.items[i], step.context);
    if (!a || !b) return absl::nullopt;
    equal = And(equal, Equal(*a, *b));
  }
  return Out{FromNumber(step.name == "aten::eq" ? equal : Not(equal))};
}

MaybeOut RunOnList(const Step& step, ValueList& list) {
  const auto& [node, name, in, context] = step;
  const ValueList* const other = step.Get<ValueList>(1);
  if (name == "prim::ListUnpack" || name == "prim::TupleUnpack") {
    if (list.items.size() != node.outputs().size()) return step.Error("unpacks a list of another length");
    return list.items;
  }
  if (name == "aten::len") return Out{Int(static_cast<int64_t>(list.items.size()))};
  if (name == "aten::__getitem__" || name == "prim::TupleIndex") {
    const absl::optional<int64_t> place = step.Place(1, list.items.size());
    if (!place) return step.Error("takes no item of a list");
    return Out{list.items[*place]};
  }
  if (name == "aten::append") {
    RETURN_IF_ERROR(step.CheckChangedHere(list.depth));
    list.items.push_back(in[1]);
    return Out{in[0]};
  }
  if (name == "aten::_set_item") {
    const absl::optional<int64_t> place = step.Place(1, list.items.size());
    if (!place) return step.Error("sets no item of a list");
    RETURN_IF_ERROR(step.CheckChangedHere(list.depth));
    list.items[*place] = in[2];
    return Out{in[0]};
  }
  if (name == "aten::add" && other != nullptr) {
    Out items = list.items;
    items.insert(items.end(), other->items.begin(), other->items.end());
    return step.List(std::move(items));
  }
  if (name == "aten::slice") return SliceList(step, list);
  if (name == "aten::list" || name == "aten::copy") return step.List(list.items);
  if ((name == "aten::eq" || name == "aten::ne") && other != nullptr) return CompareLists(step, list, *other);
  return absl::nullopt;
}

MaybeOut RunOnDict(const Step& step, ValueDict& dict) {
  const std::string& name = step.name;
  if (name == "aten::len") return Out{Int(static_cast<int64_t>(dict.items.size()))};
  if (name == "aten::keys") {
    Out keys;
    for (const auto& [key, value] : dict.items) keys.emplace_back(c10::IValue(key));
    return step.List(std::move(keys));
  }
  if (name == "aten::copy") {
    auto copy = std::make_shared<ValueDict>(dict);
    copy->depth = step.depth();
    return Out{Value(std::move(copy))};
  }
  const c10::IValue* const key = step.Text(1);
  const auto item = std::find_if(dict.items.begin(), dict.items.end(),
                                 [&](const auto& one) { return key != nullptr && one.first == key->toStringRef(); });
  if (name == "aten::__contains__" && key != nullptr) return Out{Value(c10::IValue(item != dict.items.end()))};
  if (name == "aten::__getitem__") {
    if (item == dict.items.end()) return step.Error("takes no item of a dictionary");
    return Out{item->second};
  }
  if (name == "aten::_set_item" && key != nullptr) {
    RETURN_IF_ERROR(step.CheckChangedHere(dict.depth));
    if (item != dict.items.end()) {
      item->second = step.in[2];
    } else {
      dict.items.emplace_back(key->toStringRef(), step.in[2]);
    }
    return Out();
  }
  return absl::nullopt;
}

}  // namespace

Value FromIValue(const c10::IValue& value, int depth) {
  if (value.isTuple() || value.isList()) {
    auto list = std::make_shared<ValueList>();
    list->depth = depth;
    const std::vector<c10::IValue> items =
        value.isTuple() ? value.toTupleRef().elements().vec() : value.toListRef().vec();
    for (const c10::IValue& item : items) list->items.push_back(FromIValue(item, depth));
    return list;
  }
  if (value.isGenericDict()) {
    auto dict = std::make_shared<ValueDict>();
    dict->depth = depth;
    for (const auto& item : value.toGenericDict()) {
      if (!item.key().isString()) return value;
      dict->items.emplace_back(item.key().toStringRef(), FromIValue(item.value(), depth));
    }
    return dict;
  }
  return value;
}

absl::Status ErrorAt(const Node& node, absl::string_view message) {
  const SourceLine line = FindSourceLine(node.sourceRange());
  return absl::UnimplementedError(absl::StrCat(line.place.empty() ? "" : absl::StrCat(line.place, ": "), message,
                                               line.text.empty() ? "" : absl::StrCat("\n  ", line.text)));
}

absl::StatusOr<absl::optional<std::vector<Value>>> RunStructure(const Node& node, const std::vector<Value>& in,
                                                                const Context& context) {
  const Step step = {node, node.kind().toQualString(), in, context};
  ASSIGN_OR_RETURN(absl::optional<Out> out, RunAny(step));
  if (out) return out;
  if (const Tensor* const tensor = step.Get<Tensor>(0)) return RunOnTensor(step, *tensor);
  if (ValueList* const list = step.Get<ValueList>(0)) return RunOnList(step, *list);
  if (ValueDict* const dict = step.Get<ValueDict>(0)) return RunOnDict(step, *dict);
  return absl::nullopt;
}

}  // namespace modelport::onnx
