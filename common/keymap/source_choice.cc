#include "common/keymap/source_choice.h"

namespace modelport {

SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict) {
  SourceChoice choice;
  choice.layout = std::string(layout);
  if (!state_dict.empty()) choice.state_dict = state_dict == "." ? "" : std::string(state_dict);
  return choice;
}

}  // namespace modelport
