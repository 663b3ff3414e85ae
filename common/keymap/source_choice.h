#ifndef MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_
#define MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// The part of a checkpoint to take, as far as the user names it.
struct SourceChoice {
  std::string layout = "auto";  // A layout's name, or "auto" for the one that is recognised.
  // Path of a dictionary, "" for the root; nullopt: the one that fits.
  absl::optional<std::string> state_dict = absl::nullopt;
};

// The choice that the flags --layout and --state_dict make. An empty `state_dict` chooses nothing, "." the root.
SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_SOURCE_CHOICE_H_
