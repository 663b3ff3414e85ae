#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_BUDGET_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_BUDGET_H_

#include <cstddef>

#include "absl/status/status.h"

namespace modelport {

// A limit on the memory that the description of a file's tensors may take: the file's own size plus 128 MB. Readers
// spend it as they make values, because a few bytes of a pickle can describe a value of a thousand bytes. A published
// file of a thousand tensors spends 2 MB.
class Budget {
 public:
  explicit Budget(size_t file_size) : file_size_(file_size), left_(file_size + kAllowance) {}

  size_t file_size() const { return file_size_; }

  // InvalidArgument if fewer than `bytes` are left.
  absl::Status Spend(size_t bytes) {
    if (bytes > left_) return Exceeded();
    left_ -= bytes;
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kAllowance = 128'000'000;

  absl::Status Exceeded() const;

  size_t file_size_;
  size_t left_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_BUDGET_H_
