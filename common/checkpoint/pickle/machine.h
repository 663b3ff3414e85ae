#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/value.h"

namespace modelport::pickle {

// The values of one pickle. Strings are borrowed from the bytes that it was read from.
struct Pickle {
  std::deque<Value> values;  // All of them; the addresses of its elements are stable.
  const Value* root = nullptr;
  std::vector<const PersistentId*> persistent_ids;  // In the pickle's order.
  size_t size = 0;                                  // Of the pickle, in bytes; other data may follow it.
};

// Reads the pickle at the beginning of `bytes`, and spends `budget` on the values that it makes. Messages name the byte
// and the opcode.
//   DataLoss          the bytes end too early, or are not a pickle
//   InvalidArgument   the budget is exceeded
//   Unimplemented     a protocol above 5, or an opcode that torch.save never writes
absl::StatusOr<Pickle> ReadPickle(absl::string_view bytes, Budget& budget);

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

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
