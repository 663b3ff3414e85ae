#ifndef MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_
#define MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"

namespace modelport {

// The part of a checkpoint to take, as far as the user names it.
struct SourceChoice {
  std::string layout = "auto";  // A layout's name, or "auto" for the one that is recognised.
  // Path of a dictionary, "" for the root, or of a part of one, as of FindDict; nullopt: the one that fits.
  absl::optional<std::string> state_dict = absl::nullopt;
  // Whether a table of positions of another size is resampled for the model's, as timm does.
  bool resample = false;
  std::string layout_flag = "layout";  // The flag that names a layout, for messages.
};

// The choice that the flags --layout, --state_dict and --prefix make. An empty `state_dict` chooses nothing, "." the
// root. A `prefix` is that of the keys that are taken, "model." or "model", within the dictionary, if one is chosen.
SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict, absl::string_view prefix = "");

// A dictionary of a checkpoint under one of its paths. Both are the checkpoint's own.
struct FoundDict {
  const StateDict* dict;
  absl::string_view path;
};

// The dictionary of `checkpoint` that has `path`, "" for the root, among its paths. Where there is none: the part whose
// keys begin with the end of the path, so that "state_dict.model" is what the dictionary "state_dict" holds under keys
// "model.blocks.0.norm1.weight", and so is "model", if no other dictionary has such keys.
//   InvalidArgument  none that holds tensors has it; the nearest are named; or several have it
absl::StatusOr<FoundDict> FindDict(const Checkpoint& checkpoint, const std::string& path);

// The dictionary at `path`, or the one with the most tensors if none is given. Errors as for FindDict.
absl::StatusOr<const StateDict*> ChooseDict(const Checkpoint& checkpoint, const absl::optional<std::string>& path);

// A dictionary's path as --state_dict takes it: "." for the root.
std::string DictFlag(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_
