#include "tools/request/given_files.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/keymap/source_choice.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

absl::StatusOr<std::vector<std::string>> ValuesForFiles(absl::string_view flag, const std::string& value,
                                                        size_t count) {
  if (count == 1) return std::vector<std::string>{value};
  std::vector<std::string> values = absl::StrSplit(value, ',');
  if (values.size() == 1) values.resize(count, value);
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": wants one value, or one for each of ",
                                                 count, " checkpoints, has ", values.size()));
}

}  // namespace

absl::StatusOr<CheckpointFiles> MakeCheckpointFiles(const std::vector<std::string>& paths, const std::string& layout,
                                                    const std::string& state_dict, const std::string& prefix,
                                                    absl::string_view layout_flag) {
  ASSIGN_OR_RETURN(const auto layouts, ValuesForFiles(layout_flag, layout, paths.size()));
  ASSIGN_OR_RETURN(const auto dicts, ValuesForFiles("state_dict", state_dict, paths.size()));
  ASSIGN_OR_RETURN(const auto prefixes, ValuesForFiles("prefix", prefix, paths.size()));
  CheckpointFiles files;
  for (size_t i = 0; i < paths.size(); ++i) {
    files.push_back({paths[i], ParseSourceChoice(layouts[i], dicts[i], prefixes[i])});
  }
  return files;
}

absl::StatusOr<std::string> ArtifactPath(const std::string& flag, std::vector<std::string> paths) {
  if (!flag.empty()) paths.push_back(ResolveUserPath(flag));
  if (paths.size() == 1) return paths.front();
  return absl::InvalidArgumentError(
      paths.empty() ? "the artifact is missing: give its path beside the flags, or as --artifact=FILE"
                    : absl::StrCat("wants one artifact, has ", paths.size(), ": ", FirstFew(paths)));
}

}  // namespace modelport
