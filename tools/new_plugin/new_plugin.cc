// Writes the folder of a new plugin.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/terminal.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/new_plugin/draft_plugin.h"

namespace modelport {
namespace {

struct NewPluginFlags {
  NewPluginFlags() { state_dict.OnlyWith({&checkpoint}); }

  FlagGroup group;
  Flag<std::string> name{group, "name", "", "the new family, such as my_family"};
  Flag<std::string> checkpoint{
      group, "checkpoint", "",
      "draft the module types from the keys and shapes of this file; by default the plugin is a small example"};
  Flag<std::string> state_dict{
      group, "state_dict", "",
      "the checkpoint's dictionary to take, such as teacher or a.b, or . for its root; by default the largest"};
  Flag<std::string> out{group, "out", "",
                        "the folder to make; by default models/NAME of the workspace in which `bazel run` is typed, "
                        "listed in its models/plugins.bzl"};
};

absl::StatusOr<PluginDraft> Draft(const NewPluginFlags& flags) {
  const std::string& name = *flags.name;
  const std::string& checkpoint = *flags.checkpoint;
  if (name.empty()) return absl::InvalidArgumentError("--name is missing: the name of the family, such as my_family");
  const absl::optional<std::string> state_dict = ParseSourceChoice("auto", *flags.state_dict).state_dict;
  if (!checkpoint.empty()) {
    ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(ResolveUserPath(checkpoint)));
    ASSIGN_OR_RETURN(PluginDraft draft, DraftPlugin(BuiltInPlugins(), name, file, state_dict));
    RETURN_IF_ERROR(file.CheckUnchanged());
    return draft;
  }
  return StarterPlugin(BuiltInPlugins(), name);
}

// The folder models of the workspace in which the user called Bazel.
absl::StatusOr<std::string> ModelsFolder() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace != nullptr) return absl::StrCat(workspace, "/models");
  return absl::InvalidArgumentError("--out is missing: the folder to make, in one that exists");
}

void PrintDraft(const PluginDraft& draft, const std::string& folder, const std::string& checkpoint) {
  Table table;
  table.AddRow({"folder", folder});
  table.AddRow({"files", "plugin.yaml, modules.yaml, keymap.yaml, BUILD"});
  if (!checkpoint.empty()) table.AddRow({"state dict", Brief(draft.state_dict)});
  if (!draft.other_state_dicts.empty()) {
    table.AddRow({"not taken", absl::StrCat(FirstFew(draft.other_state_dicts), "; --state_dict=PATH takes another")});
  }
  table.AddRow({"module types", absl::StrCat(draft.types)});
  table.AddRow({"tensors", absl::StrCat(draft.tensors, ", ", FormatCount(draft.parameters), " elements")});
  std::cout << FitStdout(table);
}

// Where the user's workspace is that of another repository than Modelport's.
bool IsOtherRepository() { return !ModelportRepository().empty(); }

// What is left to do with `draft`. Without `plugin_path` the plugin is one of Modelport's own.
void PrintNext(const NewPluginFlags& flags, const PluginDraft& draft, const std::string& plugin_path) {
  const std::string& name = *flags.name;
  const std::string& checkpoint = *flags.checkpoint;
  if (!checkpoint.empty()) {
    std::cout << "The draft takes every tensor of the checkpoint. It computes NOTHING of the model yet: each forward "
                 "returns\n"
                 "its input. Write them in modules.yaml; what its comments ask is not in a checkpoint.\n";
  }
  std::cout << "Next:\n";
  if (flags.out->empty()) {
    std::cout << "  " << (IsOtherRepository() ? "bazel" : "./bazelw") << " test //models/" << name << ":all\n";
  }
  std::string arguments = absl::StrCat("--model=", name);
  const auto add = [&](absl::string_view flag, absl::string_view text) {
    absl::StrAppend(&arguments, " ", ShellFlag(flag, text));
  };
  if (!checkpoint.empty()) add("checkpoint", checkpoint);
  if (!draft.other_state_dicts.empty()) add("state_dict", draft.state_dict);
  if (!plugin_path.empty()) add("plugin_path", plugin_path);
  std::cout << "  " << ToolCall("export", arguments) << "\n";
}

// Tells the user to list the plugin, "//models/net:plugin.yaml", in a workspace of another repository.
void PrintOtherList(const std::string& name) {
  std::cout << "Add it to the plugins in WORKSPACE:\n    plugin_catalog(plugins = [\"//models/" << name
            << ":plugin.yaml\"])\n";
}

// Lists the plugin in models/plugins.bzl, `list`, of Modelport, and says so.
absl::Status ListAsModelports(const std::string& name, const std::string& folder, const std::string& list) {
  // The folder comes first: a listed family without a folder would break every build.
  const absl::StatusOr<bool> listed = ListPlugin(list, name);
  if (!listed.ok()) {
    return Annotate(listed.status(),
                    absl::StrCat(folder, " is written, but not listed; add \"", name, "\" to PLUGINS"));
  }
  if (*listed) {
    std::cout << "Added \"" << name << "\" to PLUGINS in " << list << ".\n";
  } else {
    std::cout << "Add this line to the sorted list PLUGINS in " << list << ":\n    \"" << name << "\",\n";
  }
  return absl::OkStatus();
}

absl::Status NewPlugin(const NewPluginFlags& flags) {
  const std::string& name = *flags.name;
  const std::string& checkpoint = *flags.checkpoint;
  ASSIGN_OR_RETURN(PluginDraft draft, Draft(flags));
  if (IsOtherRepository()) LoadRulesFrom(ModelportRepository(), &draft);
  if (!flags.out->empty()) {
    const std::string folder = ResolveUserPath(*flags.out);
    RETURN_IF_ERROR(WritePlugin(draft, folder));
    PrintDraft(draft, folder, checkpoint);
    if (IsOtherRepository()) {
      std::cout << "To build it with Bazel, add its plugin.yaml to plugin_catalog(plugins = [...]) in WORKSPACE.\n";
    }
    PrintNext(flags, draft, folder);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string models, ModelsFolder());
  const std::string folder = absl::StrCat(models, "/", name);
  if (IsOtherRepository()) {
    std::error_code error;  // WritePlugin names the folder if there is none then.
    std::filesystem::create_directory(models, error);
  } else if (std::filesystem::is_directory(models + "/../docs/schema")) {
    NameSchemas("../../docs/schema", &draft);
  }
  RETURN_IF_ERROR(WritePlugin(draft, folder));
  PrintDraft(draft, folder, checkpoint);
  if (IsOtherRepository()) {
    PrintOtherList(name);
    PrintNext(flags, draft, "models");
  } else {
    RETURN_IF_ERROR(ListAsModelports(name, folder, models + "/plugins.bzl"));
    PrintNext(flags, draft, "");
  }
  return absl::OkStatus();
}

}  // namespace

Command NewPluginCommand() {
  return {
      .name = "new_plugin",
      .summary = "Writes the folder of a new plugin: a small example, or a draft from a checkpoint's keys.",
      .begin = TakesFlags<NewPluginFlags>(NewPlugin),
  };
}

}  // namespace modelport
