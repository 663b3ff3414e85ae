#include "common/checkpoint/pickle/budget.h"

#include "absl/strings/str_cat.h"
#include "common/text/units.h"

namespace modelport {

absl::Status Budget::Exceeded() const {
  return absl::InvalidArgumentError(absl::StrCat("describes more than ", FormatBytes(file_size_ + kAllowance),
                                                 " of names, shapes and values, too much for a file of ",
                                                 FormatBytes(file_size_), ": not a checkpoint"));
}

}  // namespace modelport
