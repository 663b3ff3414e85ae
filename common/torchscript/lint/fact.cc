#include "common/torchscript/lint/fact.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace modelport {
namespace {

constexpr size_t kMaxParts = 1000;

auto Key(const FixedOption& option) {
  return std::tie(option.kind, option.value, option.call, option.module, option.line.place, option.line.text,
                  option.is_device);
}

// All members of a fact except its value. Its options and elements belong to a pool, so their pointers can be compared.
auto Key(const Fact& fact) {
  return std::tie(fact.dtype.model, fact.dtype.fixed, fact.device.model, fact.device.fixed, fact.extents.first,
                  fact.extents.rest, fact.extents.table_dims, fact.is_input, fact.path, fact.elements);
}

// Strings are compared by their text, other objects by their address.
bool SameValue(const c10::IValue& a, const c10::IValue& b) {
  return a.isString() && b.isString() ? a.toStringRef() == b.toStringRef() : a.is(b);
}

size_t HashValue(const c10::IValue& value) {
  if (value.isString()) return absl::HashOf(value.toStringRef());
  if (value.isInt()) return absl::HashOf(value.toInt());
  if (value.isBool()) return absl::HashOf(value.toBool());
  if (value.isDouble()) return absl::HashOf(value.toDouble());
  return value.isPtrType() ? absl::HashOf(value.internalToPointer()) : 0;
}

c10::TypePtr WithoutOptional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional == nullptr ? type : optional->getElementType();
}

bool IsTensor(const c10::TypePtr& type) { return WithoutOptional(type)->kind() == c10::TypeKind::TensorType; }

bool IsTensorList(const c10::TypePtr& type) {
  const auto list = WithoutOptional(type)->cast<c10::ListType>();
  return list != nullptr && IsTensor(list->getElementType());
}

using Names = absl::flat_hash_set<absl::string_view>;

bool IsReshape(absl::string_view name) {
  static const auto* const names = new Names{"aten::expand", "aten::reshape", "aten::view"};
  return names->contains(name);
}

bool IsResize(absl::string_view name) {
  return absl::StartsWith(name, "aten::upsample_") || absl::StartsWith(name, "aten::_upsample_");
}

bool IsElementwise(absl::string_view name) {
  static const auto* const names = new Names{"aten::add", "aten::add_", "aten::div", "aten::div_",
                                             "aten::mul", "aten::mul_", "aten::sub", "aten::sub_"};
  return names->contains(name);
}

// The result has the sizes of the first tensor but those that the others, which may be weights, replace.
bool FollowsFirst(absl::string_view name) {
  static const auto* const names = new Names{
      "aten::_convolution", "aten::batch_norm", "aten::bmm",    "aten::conv1d", "aten::conv2d",
      "aten::group_norm",   "aten::layer_norm", "aten::linear", "aten::matmul", "aten::scaled_dot_product_attention"};
  return names->contains(name);
}

// The result may have none of the dimensions that follow the image.
bool MayLoseSizes(absl::string_view name) {
  static const auto* const names =
      new Names{"aten::amax",   "aten::as_tensor", "aten::tensor",    "aten::amin",   "aten::argmax",
                "aten::argmin", "aten::einsum",    "aten::embedding", "aten::gather", "aten::index",
                "aten::max",    "aten::mean",      "aten::min",       "aten::norm",   "aten::prod",
                "aten::select", "aten::std",       "aten::sum",       "aten::topk",   "aten::var"};
  return names->contains(name) || absl::StrContains(name, "adaptive_");
}

// Keeps the number of elements of a table, but for a slice of one element.
bool KeepsTable(absl::string_view name) {
  static const auto* const names =
      new Names{"aten::clone", "aten::contiguous", "aten::permute", "aten::to", "aten::transpose", "aten::unsqueeze"};
  return names->contains(name);
}

bool IsInferred(const FactPtr& size) { return size->value && size->value->isInt() && size->value->toInt() == -1; }

bool IsFixed(const FactPtr& size) { return size->extents.rest == Extent::kFixed && !IsInferred(size); }

bool AreFixed(const std::vector<FactPtr>& sizes) {
  return !sizes.empty() && std::all_of(sizes.begin(), sizes.end(), IsFixed);
}

Extent Any(const Extents& extents) { return std::max(extents.first, extents.rest); }

const Extents& FirstOperand(const Step& step) {
  static const auto* const unknown = new Extents();
  const std::vector<Operand> operands = TensorOperands(step);
  return operands.empty() ? *unknown : operands.front().fact->extents;
}

// The extents of a tensor of these sizes, of which -1 is what is left of a tensor with the extents `from`.
Extents OfSizes(const std::vector<FactPtr>& sizes, const Extents& from) {
  if (sizes.empty()) return {.first = Any(from), .rest = Any(from)};
  const auto extent = [&](const FactPtr& size) { return IsInferred(size) ? Any(from) : size->extents.rest; };
  Extents result = {.first = extent(sizes.front()), .rest = Extent::kFixed};
  for (size_t i = 1; i < sizes.size(); ++i) result.rest = std::max(result.rest, extent(sizes[i]));
  return result;
}

// Of what combines tensors element by element, and numbers whose values do not matter.
Extents OfTensors(const Step& step) {
  Extents result = {.first = Extent::kFixed, .rest = Extent::kFixed};
  for (const Operand& operand : TensorOperands(step)) result = Join(result, operand.fact->extents);
  return result;
}

// Of aten::size, with or without a dimension.
Extents OfSizeCall(const Step& step) {
  const Extents& tensor = FirstOperand(step);
  const Fact* const dim = FindArgument(step, "dim");
  const bool is_first = dim != nullptr && dim->value && dim->value->isInt() && dim->value->toInt() == 0;
  const Extent extent = is_first ? tensor.first : Any(tensor);
  return {.first = extent, .rest = extent};
}

bool IsKnownInt(const Fact* fact) { return fact != nullptr && fact->value && fact->value->isInt(); }

// Whether another dimension may become the first one, or a part of it.
bool MovesFirst(const Step& step) {
  const std::string name = step.name();
  const auto is_other = [&](const Fact* dim) { return IsKnownInt(dim) && dim->value->toInt() > 0; };
  if (name == "aten::flatten") return !is_other(FindArgument(step, "start_dim"));
  if (name == "aten::transpose") return !is_other(FindArgument(step, "dim0")) || !is_other(FindArgument(step, "dim1"));
  if (name != "aten::permute") return false;
  return step.sizes.empty() || !IsKnownInt(step.sizes[0].get()) || step.sizes[0]->value->toInt() != 0;
}

int TableDims(const Step& step, int of_operand) {
  if (KeepsTable(step.name())) return of_operand;
  if (step.name() != "aten::slice" || of_operand == 0) return 0;
  const Fact *const start = FindArgument(step, "start"), *const end = FindArgument(step, "end");
  const int64_t first = IsKnownInt(start) ? start->value->toInt() : 0;
  return IsKnownInt(end) && end->value->toInt() - first == 1 ? of_operand - 1 : of_operand;
}

}  // namespace

Origin Join(const Origin& a, const Origin& b) { return {a.model || b.model, a.fixed ? a.fixed : b.fixed}; }

Extents Join(const Extents& a, const Extents& b) {
  return {.first = std::max(a.first, b.first),
          .rest = std::max(a.rest, b.rest),
          .table_dims = a.table_dims == b.table_dims ? a.table_dims : 0};
}

Fact Mix(const std::vector<FactPtr>& facts) {
  Fact mix;
  mix.extents = facts.empty() ? Extents{Extent::kFixed, Extent::kFixed} : facts.front()->extents;
  for (const FactPtr& fact : facts) {
    mix.extents = Join(mix.extents, fact->extents);
    mix.dtype = Join(mix.dtype, fact->dtype);
    mix.device = Join(mix.device, fact->device);
    mix.is_input |= fact->is_input;
  }
  return mix;
}

size_t FactPool::HashFact::operator()(const FactPtr& fact) const {
  return absl::HashOf(Key(*fact), fact->value ? HashValue(*fact->value) : 0);
}

bool FactPool::SameFact::operator()(const FactPtr& a, const FactPtr& b) const {
  if (Key(*a) != Key(*b) || a->value.has_value() != b->value.has_value()) return false;
  return !a->value || SameValue(*a->value, *b->value);
}

size_t FactPool::HashOption::operator()(const FixedOptionPtr& option) const { return absl::HashOf(Key(*option)); }

bool FactPool::SameOption::operator()(const FixedOptionPtr& a, const FixedOptionPtr& b) const {
  return Key(*a) == Key(*b);
}

FactPool::FactPool() : unknown_(Add(Fact())) {}

FixedOptionPtr FactPool::Add(const FixedOptionPtr& option) {
  if (option == nullptr) return nullptr;
  const auto [place, is_new] = options_.insert(option);
  if (is_new) fixed_options_.push_back(option);
  return *place;
}

FactPtr FactPool::Add(Fact fact) {
  fact.dtype.fixed = Add(fact.dtype.fixed);
  fact.device.fixed = Add(fact.device.fixed);
  size_t parts = CountParts(fact);
  if (parts > kMaxParts) {
    fact.elements.clear();
    parts = 1;
  }
  return facts_.try_emplace(std::make_shared<const Fact>(std::move(fact)), parts).first->first;
}

size_t FactPool::CountParts(const Fact& fact) const {
  size_t parts = 1;
  for (const FactPtr& element : fact.elements) parts += facts_.find(element)->second;
  return parts;
}

FactPtr FactPool::Join(const FactPtr& a, const FactPtr& b) {
  if (a == b) return a;
  Fact joined;
  joined.dtype = modelport::Join(a->dtype, b->dtype);
  joined.device = modelport::Join(a->device, b->device);
  joined.extents = modelport::Join(a->extents, b->extents);
  joined.is_input = a->is_input || b->is_input;
  if (a->value && b->value && SameValue(*a->value, *b->value)) {
    joined.value = a->value;
    joined.path = a->path;
  }
  if (a->elements.size() == b->elements.size()) {
    for (size_t i = 0; i < a->elements.size(); ++i) joined.elements.push_back(Join(a->elements[i], b->elements[i]));
  }
  return Add(std::move(joined));
}

std::vector<Operand> TensorOperands(const Step& step) {
  const std::vector<c10::Argument>& formals = step.node->schema().arguments();
  std::vector<Operand> operands;
  // A variadic operator has more inputs than its schema.
  for (size_t i = 0; i < std::min(formals.size(), step.inputs.size()); ++i) {
    const bool is_list = IsTensorList(formals[i].type());
    if (is_list || IsTensor(formals[i].type())) operands.push_back({step.inputs[i].get(), is_list});
  }
  return operands;
}

const Fact* FindArgument(const Step& step, absl::string_view name) {
  const auto index = step.node->schema().argumentIndexWithName(std::string(name));
  if (!index) return nullptr;
  const Fact* fact = step.inputs[*index].get();
  return fact->value && fact->value->isNone() ? nullptr : fact;
}

absl::optional<size_t> SizesArgument(const torch::jit::Node& node) {
  for (const char* const name : {"size", "shape", "output_size", "dims"}) {
    if (const auto index = node.schema().argumentIndexWithName(name)) return static_cast<size_t>(*index);
  }
  return absl::nullopt;
}

FixedOptionPtr FindClash(const Step& step, Origin Fact::*origin) {
  const std::vector<Operand> operands = TensorOperands(step);
  for (const Operand& operand : operands) {
    const Origin& own = operand.fact->*origin;
    if (own.fixed == nullptr) continue;
    if (own.model && operand.is_list) return own.fixed;
    const auto clashes = [&](const Operand& other) {
      const Origin& theirs = other.fact->*origin;
      return theirs.model && !(own.model && theirs.fixed != nullptr);
    };
    if (std::any_of(operands.begin(), operands.end(), clashes)) return own.fixed;
  }
  return nullptr;
}

Extents FixedExtents(const at::Tensor& tensor) {
  const auto sizes = tensor.sizes();
  const auto wide = std::count_if(sizes.begin(), sizes.end(), [](int64_t size) { return size > 1; });
  return {.first = Extent::kFixed, .rest = Extent::kFixed, .table_dims = static_cast<int>(wide)};
}

Extents ResultExtents(const Step& step) {
  const std::string name = step.name();
  if (name == "aten::size") return OfSizeCall(step);
  const Extents& first = FirstOperand(step);
  // What it should be: the sizes of the image, as those before.
  if (FixesShape(step)) return {.first = first.first, .rest = Extent::kImage};
  if (IsReshape(name)) return OfSizes(step.sizes, first);
  if (IsResize(name) && !step.sizes.empty()) return {.first = first.first, .rest = Any(OfSizes(step.sizes, first))};
  Extents result = {.first = Extent::kFixed, .rest = Extent::kFixed};
  for (const FactPtr& input : step.inputs) result = Join(result, input->extents);
  if (IsElementwise(name) && !TensorOperands(step).empty()) result = OfTensors(step);
  if (FollowsFirst(name)) result = first;
  if (MovesFirst(step)) result.first = Any(result);
  if (MayLoseSizes(name) && Any(result) != Extent::kFixed) result = Extents();
  result.table_dims = TableDims(step, first.table_dims);
  return result;
}

bool FixesShape(const Step& step) {
  return IsReshape(step.name()) && Any(FirstOperand(step)) == Extent::kImage && AreFixed(step.sizes);
}

bool FixesResize(const Step& step) {
  return IsResize(step.name()) && FirstOperand(step).rest == Extent::kImage && AreFixed(step.sizes);
}

bool AddsTable(const Step& step) {
  if (!IsElementwise(step.name())) return false;
  const std::vector<Operand> operands = TensorOperands(step);
  if (operands.size() != 2) return false;
  const Extents &a = operands[0].fact->extents, &b = operands[1].fact->extents;
  const auto is_table = [](const Extents& one) { return one.rest == Extent::kFixed && one.table_dims > 1; };
  return (a.rest == Extent::kImage && is_table(b)) || (b.rest == Extent::kImage && is_table(a));
}

}  // namespace modelport
