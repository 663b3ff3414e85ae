#ifndef MODELPORT_COMMON_LINT_FACT_POOL_H_
#define MODELPORT_COMMON_LINT_FACT_POOL_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/lint/fact.h"

namespace modelport {

// Keeps one object for all equal facts, and for all equal fixed options: two of a pool's are equal if their pointers
// are. However a file puts tuples into tuples, facts share what is in them.
class FactPool {
 public:
  FactPool();

  // The pool's fact that is equal to `fact`, whose elements are the pool's. Of tuples that hold more than a thousand
  // others, all of them counted, the elements are not kept.
  FactPtr Add(Fact fact);
  FixedOptionPtr Add(const FixedOptionPtr& option);

  // What is known of a value that is either `a` or `b`.
  FactPtr Join(const FactPtr& a, const FactPtr& b);

  // That of a value of which nothing is known.
  const FactPtr& unknown() const { return unknown_; }
  // All of them, in the order in which they came.
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

  // The number of facts within `fact`, itself included, each as often as it is there.
  size_t CountParts(const Fact& fact) const;

  absl::flat_hash_map<FactPtr, size_t, HashFact, SameFact> facts_;  // With their parts.
  absl::flat_hash_set<FixedOptionPtr, HashOption, SameOption> options_;
  std::vector<FixedOptionPtr> fixed_options_;
  FactPtr unknown_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_FACT_POOL_H_
