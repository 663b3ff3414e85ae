#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_POOL_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_POOL_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/torchscript/lint/fact.h"

namespace modelport {

// Keeps one object for all equal facts and one for all equal fixed options, so that two of them are equal if and only
// if their pointers are equal. Facts about nested tuples share the facts about their elements.
class FactPool {
 public:
  FactPool();

  // The pool's fact that is equal to `fact`, whose elements must be facts of the pool. A tuple with more than a
  // thousand parts, counted through all levels of nested tuples, loses its elements.
  FactPtr Add(Fact fact);
  FixedOptionPtr Add(const FixedOptionPtr& option);

  // The fact about a value that has either the fact `a` or the fact `b`.
  FactPtr Join(const FactPtr& a, const FactPtr& b);

  // The fact about a value of which nothing is known.
  const FactPtr& unknown() const { return unknown_; }
  // All fixed options of the pool, in the order in which they were added.
  const std::vector<FixedOptionPtr>& fixed_options() const { return fixed_options_; }

 private:
  struct HashFact {
    size_t operator()(const FactPtr& fact) const;
  };
  struct SameFact {
    bool operator()(const FactPtr& a, const FactPtr& b) const;
  };
  struct HashOption {
    size_t operator()(const FixedOptionPtr& option) const;
  };
  struct SameOption {
    bool operator()(const FixedOptionPtr& a, const FixedOptionPtr& b) const;
  };

  // The number of facts in `fact`, including itself. A fact that occurs twice counts twice.
  size_t CountParts(const Fact& fact) const;

  absl::flat_hash_map<FactPtr, size_t, HashFact, SameFact> facts_;  // Facts with their CountParts.
  absl::flat_hash_set<FixedOptionPtr, HashOption, SameOption> options_;
  std::vector<FixedOptionPtr> fixed_options_;
  FactPtr unknown_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_POOL_H_
