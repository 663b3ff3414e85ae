#ifndef MODELPORT_COMMON_KEYMAP_LIKENESS_H_
#define MODELPORT_COMMON_KEYMAP_LIKENESS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Scores how similar a checkpoint is to module trees, by one key map, to name the nearest model if none fits. The time
// is linear in the checkpoint's keys, and then in each tree's slots. Borrows the checkpoint and the key map.
class Likeness {
 public:
  struct Score {
    double share = 0;    // From 0 to 1: agreements in name and in shape, of all slots and all keys of the dictionary.
    std::string layout;  // The layout with that share.
  };

  // For each layout that `choice` admits, reads the first dictionary, unless it has more than 100,000 keys or their
  // names take more than 16 MiB. InvalidArgument: no such layout, or no such dictionary.
  static absl::StatusOr<Likeness> Make(const Checkpoint& checkpoint, const KeyMap& key_map, const SourceChoice& choice);

  // The best score of all layouts.
  Score Of(const ModuleTree& tree) const;

 private:
  explicit Likeness(std::vector<LayoutReading> readings) : readings_(std::move(readings)) {}

  std::vector<LayoutReading> readings_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LIKENESS_H_
