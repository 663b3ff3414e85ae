// Compares two checkpoints or artifacts.
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "models/built_in_plugins.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/diff/diff_files.h"
#include "tools/diff/print_diff.h"
#include "tools/request/given_files.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct DiffFlags {
  FlagGroup group;
  Flag<bool> json{group, "json", false, "print JSON, with every tensor by itself"};
  Flag<std::string> model{group, "model", "",
                          "the variant that the checkpoints are of; without one, those that they fit"};
  SourceFlags source{group};
  RegistryFlags registry{group};
};

absl::Status Diff(const DiffFlags& flags, const std::vector<std::string>& paths) {
  if (paths.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("wants two files, has ", paths.size(), ": give their paths beside the flags"));
  }
  ASSIGN_OR_RETURN(const CheckpointFiles files, flags.source.Files(paths));
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  ASSIGN_OR_RETURN(const FileDifference difference, DiffFiles(registry, files[0], files[1], *flags.model));
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
