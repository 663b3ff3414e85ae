#ifndef MODELPORT_TOOLS_CONVERT_LEAVE_OUT_H_
#define MODELPORT_TOOLS_CONVERT_LEAVE_OUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_pattern.h"
#include "common/keymap/stored_layout.h"

namespace modelport {

// What a user lets a conversion lose: the items of --leave_out.
class LeaveOut {
 public:
  // Each item is a name as it is, or a pattern of keys. InvalidArgument: an item is neither.
  static absl::StatusOr<LeaveOut> Parse(const std::vector<std::string>& items);

  // `checkpoint` without the tensors that the items name, whose keys are added to `left_out`; it shares the open file.
  // nullopt if none or all are left out.
  absl::optional<Checkpoint> Without(const Checkpoint& checkpoint, std::vector<Unstorable>* left_out) const;

  // Makes sure that everything in `unstorable`, what `layout` cannot hold of the checkpoints at `paths`, may be lost.
  //   InvalidArgument     an item names nothing of it
  //   FailedPrecondition  no item names a part of it; lists all such parts
  absl::Status Check(const std::vector<Unstorable>& unstorable, const std::string& layout,
                     const std::vector<std::string>& paths) const;

 private:
  struct Item {
    std::string text;
    absl::optional<KeyPattern> pattern;  // None for the root's path ".", which is a name only.

    bool Matches(const std::string& name) const { return name == text || (pattern && pattern->Matches(name)); }
  };

  bool Matches(const std::string& name) const;

  std::vector<Item> items_;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CONVERT_LEAVE_OUT_H_
