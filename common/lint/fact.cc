#include "common/lint/fact.h"

#include <algorithm>
#include <utility>

namespace modelport {
namespace {

bool Same(const Origin& a, const Origin& b) { return a.model == b.model && a.fixed == b.fixed; }

// For a fact and what joining has made of it: a value is either kept or lost.
bool Same(const Fact& a, const Fact& b) {
  return Same(a.dtype, b.dtype) && Same(a.device, b.device) && a.is_input == b.is_input &&
         a.value.has_value() == b.value.has_value() &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    [](const Fact& a, const Fact& b) { return Same(a, b); });
}

}  // namespace

Origin Join(const Origin& a, const Origin& b) { return {a.model || b.model, a.fixed ? a.fixed : b.fixed}; }

Fact Join(const Fact& a, const Fact& b) {
  Fact joined;
  joined.dtype = Join(a.dtype, b.dtype);
  joined.device = Join(a.device, b.device);
  joined.is_input = a.is_input || b.is_input;
  if (a.value && b.value && a.value->is(*b.value)) {
    joined.value = a.value;
    joined.path = a.path;
  }
  if (a.elements.size() == b.elements.size()) {
    for (size_t i = 0; i < a.elements.size(); ++i) joined.elements.push_back(Join(a.elements[i], b.elements[i]));
  }
  return joined;
}

bool Extend(Fact& fact, const Fact& other) {
  Fact joined = Join(fact, other);
  const bool changed = !Same(fact, joined);
  fact = std::move(joined);
  return changed;
}

Fact Mix(const std::vector<Fact>& facts) {
  Fact mix;
  for (const Fact& fact : facts) {
    mix.dtype = Join(mix.dtype, fact.dtype);
    mix.device = Join(mix.device, fact.device);
    mix.is_input |= fact.is_input;
  }
  return mix;
}

}  // namespace modelport
