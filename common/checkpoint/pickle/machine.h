#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/pickle/value.h"

namespace modelport::pickle {

// The values of one pickle. Strings are borrowed from the bytes that it was read from.
struct Pickle {
  std::deque<Value> values;  // All of them; the addresses of its elements are stable.
  const Value* root = nullptr;
  std::vector<const PersistentId*> persistent_ids;  // In the pickle's order.
  size_t size = 0;                                  // Of the pickle, in bytes: more may follow.
};

// The most instructions that a pickle may have, which bounds memory: a state dict of 10000 tensors has 300000.
inline constexpr int kMaxInstructions = 1 << 23;

// Reads the pickle at the beginning of `bytes`. Messages name the byte and the opcode.
//   DataLoss          the bytes end too early, or are no pickle
//   InvalidArgument   more than kMaxInstructions
//   Unimplemented     a protocol above 5, or an opcode that torch.save never writes
absl::StatusOr<Pickle> ReadPickle(absl::string_view bytes);

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_MACHINE_H_
