#include "common/torchscript/lint/fact.h"

#include <algorithm>

namespace modelport {

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

}  // namespace modelport
