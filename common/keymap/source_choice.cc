#include "common/keymap/source_choice.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// The part of the dictionary whose path is the longest beginning of `path`; null if it has no such keys.
const StateDict* FindPartAt(const Checkpoint& checkpoint, const std::string& path) {
  const StateDict* longest = nullptr;
  size_t length = 0;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    std::vector<std::string> paths = dict.also;
    paths.push_back(dict.path);
    for (const std::string& own : paths) {
      const bool is_beginning = own.empty() || absl::StartsWith(path, absl::StrCat(own, "."));
      if (!is_beginning || (longest != nullptr && own.size() <= length)) continue;
      longest = &dict;
      length = own.size();
    }
  }
  if (longest == nullptr) return nullptr;
  return checkpoint.FindPart(*longest, absl::StrCat(path.substr(length == 0 ? 0 : length + 1), "."));
}

// The parts of all dictionaries whose keys begin with `prefix` and a dot.
std::vector<const StateDict*> FindPartsOf(const Checkpoint& checkpoint, const std::string& prefix) {
  std::vector<const StateDict*> parts;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    if (const StateDict* const part = checkpoint.FindPart(dict, absl::StrCat(prefix, "."))) parts.push_back(part);
  }
  return parts;
}

}  // namespace

SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict, absl::string_view prefix) {
  SourceChoice choice;
  choice.layout = std::string(layout);
  if (!state_dict.empty()) choice.state_dict = state_dict == "." ? "" : std::string(state_dict);
  if (prefix.empty()) return choice;
  const std::string dict = choice.state_dict.value_or("");
  choice.state_dict = absl::StrCat(dict, dict.empty() ? "" : ".", absl::StripSuffix(prefix, "."));
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
  if (const StateDict* const part = FindPartAt(checkpoint, path)) return FoundDict{part, part->path};
  const std::vector<const StateDict*> parts = FindPartsOf(checkpoint, path);
  if (parts.size() == 1) return FoundDict{parts.front(), parts.front()->path};
  if (parts.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("several dictionaries have keys that begin with \"", Brief(path),
                                                   ".\"\n  --state_dict=", Brief(parts[0]->path),
                                                   " or --state_dict=", Brief(parts[1]->path), " chooses"));
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
