#ifndef MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The readings of a checkpoint by one layout, in order of preference.
struct LayoutReadings {
  const Layout* layout;
  std::vector<LayoutReading> readings;
};

// The readings by every layout, of every dictionary, that `choice` admits.
//   InvalidArgument   no such layout or dictionary
absl::StatusOr<std::vector<LayoutReadings>> ReadLayouts(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                        const SourceChoice& choice);

// Picks the dictionary and the layout, among those whose `recognise` patterns match its keys, that fit `tree`; where
// several fill the slots in the same way, the first. If none fits, compares with the one that fills most slots. If
// there is only one layout to pick from (named, or the only one of the key map), it need not be recognised for that.
//   FailedPrecondition  no layout is recognised, or several readings fit and differ; the message says what each layout
//                       wants and what the file holds, and that `layout_flag`, as of SourceChoice, chooses
absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const std::vector<LayoutReadings>& layouts,
                                           const ModuleTree& tree, absl::string_view model,
                                           absl::string_view layout_flag);

// True if a dictionary fits `tree` in a layout that is recognised, or a part of one: if `is_whole`, one beside which it
// has no other keys.
bool FitsInLayout(const std::vector<LayoutReadings>& layouts, const ModuleTree& tree, bool is_whole = false);

// How to save tensors of other kinds so that they are read.
inline constexpr char kOrdinaryTensorsHint[] =
    "\n  tensors of the ordinary kind, as torch.save writes them, are read: save tensor.to_dense() of a sparse one, "
    "tensor.dequantize() of a quantised one";

// Names, as indented lines after a newline each, the tensors of `checkpoint` of kinds whose elements are not read, and
// those of quantised layers; "" if it has none.
std::string UnreadTensorsHint(const Checkpoint& checkpoint);

// Says, as indented lines after a newline each, that `checkpoint` is no whole model: that it holds an adapter (LoRA)
// for one, or that its name is that of one of several shards; "" if neither.
std::string FileHint(const Checkpoint& checkpoint);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
