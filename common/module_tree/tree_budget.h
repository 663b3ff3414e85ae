#ifndef MODELPORT_COMMON_MODULE_TREE_TREE_BUDGET_H_
#define MODELPORT_COMMON_MODULE_TREE_TREE_BUDGET_H_

#include <cstdint>

#include "absl/status/status.h"

namespace modelport {

// Bounds what a module tree can cost in time and memory, so that a slip such as `repeat: dim * dim` ends in an error.
// The largest published model, of 1.7 billion parameters, takes a fiftieth of each bound and is 9 levels deep.
class TreeBudget {
 public:
  static constexpr int64_t kModules = 100000;         // Lists included.
  static constexpr int64_t kMembers = 500000;         // Arguments and members of all modules, items of lists.
  static constexpr int64_t kMembersOfOne = 10000;     // Of one module or list.
  static constexpr int64_t kElements = 100000000000;  // Of all parameters and buffers.
  static constexpr int64_t kDepth = 50;               // Modules and lists, one within the other.

  // Each counts an addition and checks it against its limit. InvalidArgument: more than 100000 modules in a tree.
  absl::Status AddModule(int64_t depth);
  // `of_one` is the number that the one module or list then has.
  absl::Status AddMembers(int64_t added, int64_t of_one);
  absl::Status AddElements(int64_t added);

 private:
  int64_t modules_ = 0;
  int64_t members_ = 0;
  int64_t elements_ = 0;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_TREE_BUDGET_H_
