#include "common/checkpoint/pickle/stack.h"

#include "common/status/status_macros.h"

namespace modelport::pickle {

absl::StatusOr<Value*> Stack::Top() const {
  if (Reachable() == 0) return absl::DataLossError("too few items on the stack");
  return values_.back();
}

absl::StatusOr<Value*> Stack::Pop() {
  ASSIGN_OR_RETURN(Value* const top, Top());
  values_.pop_back();
  return top;
}

absl::StatusOr<Items> Stack::PopItems(size_t count) {
  if (Reachable() < count) return absl::DataLossError("too few items on the stack");
  Items items(values_.end() - count, values_.end());
  values_.resize(values_.size() - count);
  return items;
}

absl::StatusOr<Items> Stack::PopToMark() {
  if (marks_.empty()) return absl::DataLossError("no mark on the stack");
  ASSIGN_OR_RETURN(Items items, PopItems(Reachable()));
  marks_.pop_back();
  return items;
}

absl::Status Stack::Discard() {
  if (Reachable() > 0 || marks_.empty()) return Pop().status();
  marks_.pop_back();
  return absl::OkStatus();
}

}  // namespace modelport::pickle
