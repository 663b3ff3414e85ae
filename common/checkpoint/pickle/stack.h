#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_STACK_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_STACK_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/pickle/value.h"

namespace modelport::pickle {

using Items = std::vector<const Value*>;

// The stack of a pickle machine. Marks divide it: only values above the last mark can be popped. A method that finds
// too few values returns DataLoss and changes nothing.
class Stack {
 public:
  void Push(Value* value) { values_.push_back(value); }
  void PushMark() { marks_.push_back(values_.size()); }

  // The number of values and marks.
  size_t depth() const { return values_.size() + marks_.size(); }

  absl::StatusOr<Value*> Top() const;
  absl::StatusOr<Value*> Pop();

  // Pops the uppermost `count` values; returns them lowest first.
  absl::StatusOr<Items> PopItems(size_t count);

  // Pops the values above the last mark, and the mark; returns them lowest first.
  absl::StatusOr<Items> PopToMark();

  // Drops the uppermost value, or mark.
  absl::Status Discard();

 private:
  size_t Reachable() const { return values_.size() - (marks_.empty() ? 0 : marks_.back()); }

  std::vector<Value*> values_;
  std::vector<size_t> marks_;  // The size of values_ when each was pushed.
};

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_STACK_H_
