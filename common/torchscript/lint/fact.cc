#include "common/torchscript/lint/fact.h"

namespace modelport {

Origin Join(const Origin& a, const Origin& b) { return {a.model || b.model, a.fixed ? a.fixed : b.fixed}; }

Fact Mix(const std::vector<FactPtr>& facts) {
  Fact mix;
  for (const FactPtr& fact : facts) {
    mix.dtype = Join(mix.dtype, fact->dtype);
    mix.device = Join(mix.device, fact->device);
    mix.is_input |= fact->is_input;
  }
  return mix;
}

}  // namespace modelport
