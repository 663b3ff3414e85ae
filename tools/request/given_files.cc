#include "tools/request/given_files.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/keymap/source_choice.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

absl::StatusOr<std::vector<std::string>> ValuesForFiles(const Flag<std::string>& flag, size_t count) {
  if (count == 1) return std::vector<std::string>{*flag};
  std::vector<std::string> values = absl::StrSplit(*flag, ',');
  if (values.size() == 1) values.resize(count, *flag);
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(absl::StrCat("--", flag.name(), "=", *flag,
                                                 ": wants one value, or one for each of ", count, " checkpoints, has ",
                                                 values.size()));
}

}  // namespace

SourceFlags::SourceFlags(FlagGroup& group, const std::string& layout_name)
    : layout(group, layout_name, "auto",
             "how the checkpoint names its keys: auto or a layout of the plugin's keymap.yaml; for several checkpoints "
             "one for all, or one for each with commas between"),
      state_dict(group, "state_dict", "",
                 "the checkpoint's dictionary to take, such as teacher or a.b, or . for its root; by default the one "
                 "that fits"),
      prefix(group, "prefix", "",
             "take the keys that begin so, such as teacher.backbone., and leave out the others; by default a prefix is "
             "found without which the keys fit") {}

absl::StatusOr<CheckpointFiles> SourceFlags::Files(const std::vector<std::string>& paths) const {
  ASSIGN_OR_RETURN(const auto layouts, ValuesForFiles(layout, paths.size()));
  ASSIGN_OR_RETURN(const auto dicts, ValuesForFiles(state_dict, paths.size()));
  ASSIGN_OR_RETURN(const auto prefixes, ValuesForFiles(prefix, paths.size()));
  CheckpointFiles files;
  for (size_t i = 0; i < paths.size(); ++i) {
    files.push_back({paths[i], ParseSourceChoice(layouts[i], dicts[i], prefixes[i])});
    files.back().choice.layout_flag = layout.name();
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
