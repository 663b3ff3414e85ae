#include "common/torchscript/lint/fact.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"

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

}  // namespace modelport
