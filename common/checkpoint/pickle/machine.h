#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/budget.h"
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

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
