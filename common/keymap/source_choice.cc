#include "common/keymap/source_choice.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {

SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict) {
  SourceChoice choice;
  choice.layout = std::string(layout);
  if (!state_dict.empty()) choice.state_dict = state_dict == "." ? "" : std::string(state_dict);
  return choice;
}

absl::StatusOr<FoundDict> FindDict(const Checkpoint& checkpoint, const std::string& path) {
  std::vector<std::string> paths;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    if (dict.path == path) return FoundDict{&dict, dict.path};
    const auto other = std::find(dict.also.begin(), dict.also.end(), path);
    if (other != dict.also.end()) return FoundDict{&dict, *other};
    paths.push_back(DictFlag(dict.path));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no dictionary \"", Brief(path), "\" holds tensors", NearestHint(path, paths)));
}

absl::StatusOr<const StateDict*> ChooseDict(const Checkpoint& checkpoint, const absl::optional<std::string>& path) {
  if (path) {
    ASSIGN_OR_RETURN(const FoundDict found, FindDict(checkpoint, *path));
    return found.dict;
  }
  const std::vector<StateDict>& dicts = checkpoint.state_dicts();
  return &*std::max_element(dicts.begin(), dicts.end(),
                            [](const StateDict& a, const StateDict& b) { return a.tensors.size() < b.tensors.size(); });
}

std::string DictFlag(absl::string_view path) { return path.empty() ? "." : std::string(path); }

}  // namespace modelport
