#include "common/lint/fact.h"

namespace modelport {

Origin Join(const Origin& a, const Origin& b) { return {a.model || b.model, a.literal ? a.literal : b.literal}; }

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
