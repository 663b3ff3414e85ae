// Compares two checkpoints or artifacts.
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/keymap/source_choice.h"
#include "common/status/status_macros.h"
#include "models/built_in_plugins.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/diff/diff_files.h"
#include "tools/diff/print_diff.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct DiffFlags {
  FlagGroup group;
  Flag<bool> json{group, "json", false, "print JSON, with every tensor by itself"};
  Flag<std::string> model{group, "model", "",
                          "the variant that the checkpoints are of; without one, those that they fit"};
  Flag<std::vector<std::string>> state_dict{
      group,
      "state_dict",
      {},
      "the dictionary of the checkpoints to compare, such as teacher or . for the root, or two, separated by a comma"};
  RegistryFlags registry{group};
};

// The dictionary that --state_dict names for the file with this index.
absl::optional<std::string> StateDictFor(size_t file, const std::vector<std::string>& flag) {
  if (flag.empty()) return absl::nullopt;
  return ParseSourceChoice("auto", flag.size() > 1 ? flag[file] : flag[0]).state_dict;
}

absl::Status Diff(const DiffFlags& flags, const std::vector<std::string>& paths) {
  if (paths.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("wants two files, has ", paths.size(), ": give their paths beside the flags"));
  }
  const std::vector<std::string> dicts = *flags.state_dict;
  if (dicts.size() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("--state_dict wants one dictionary or two, has ", dicts.size()));
  }
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  ASSIGN_OR_RETURN(const FileDifference difference, DiffFiles(registry, {paths[0], StateDictFor(0, dicts)},
                                                              {paths[1], StateDictFor(1, dicts)}, *flags.model));
  std::cout << (*flags.json ? DiffJson(difference) : DiffText(difference));
  if (difference.is_equal()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(paths[0], ": differs from ", paths[1], " in ", CountDifferences(difference)));
}

}  // namespace

Command DiffCommand() {
  return {
      .name = "diff",
      .summary =
          "Compares two checkpoints or artifacts in any layout: settings, keys, shapes, dtypes and values. Exit status "
          "1 if they differ.",
      .arguments = "A B",
      .begin = TakesFiles<DiffFlags>(Diff),
  };
}

}  // namespace modelport
