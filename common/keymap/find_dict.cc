#include "common/keymap/find_dict.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {

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

std::string DictFlag(absl::string_view path) { return path.empty() ? "." : std::string(path); }

}  // namespace modelport
