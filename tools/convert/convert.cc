// Writes a checkpoint in another layout.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/left_out.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/recognise/weight_source.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/command/user_path.h"
#include "tools/convert/convert_checkpoint.h"
#include "tools/request/given_files.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct ConvertFlags {
  FlagGroup group;
  Flag<std::string> checkpoint{group, "checkpoint", "",
                               "the file to convert, or those of a model of several files, with commas between"};
  Flag<std::string> layout{group, "layout", "",
                           "the layout to write: one of the plugin's keymap.yaml, such as transformers"};
  Flag<std::string> out{group, "out", "", "the safetensors file to write"};
  Flag<std::string> model{group, "model", "", "the variant that the checkpoint is of; without one, those that it fits"};
  SourceFlags source{group, "from"};
  Flag<std::vector<std::string>> leave_out{
      group,
      "leave_out",
      {},
      "keys of the checkpoint that need not be written if the layout cannot hold them, separated by commas; {name} "
      "stands for a part of a key, {name*} for several"};
  RegistryFlags registry{group};
  Report report{group};
};

absl::StatusOr<ConvertOptions> ParseOptions(const ConvertFlags& flags) {
  if (flags.checkpoint->empty()) return absl::InvalidArgumentError("--checkpoint is missing");
  ASSIGN_OR_RETURN(CheckpointFiles checkpoints, flags.source.Files(ResolveUserPaths(*flags.checkpoint)));
  ConvertOptions options = {
      .checkpoints = std::move(checkpoints),
      .model = *flags.model,
      .layout = *flags.layout,
      .leave_out = *flags.leave_out,
      .out = ResolveUserPath(*flags.out),
  };
  if (options.layout.empty()) {
    return absl::InvalidArgumentError("--layout is missing: it names the layout to write, such as transformers");
  }
  if (flags.out->empty()) return absl::InvalidArgumentError("--out is missing");
  return options;
}

void Print(const ConvertedFile& file, const ConvertOptions& options) {
  Table table;
  table.AddRow({"model", absl::StrCat(absl::StrJoin(file.models, ", "),
                                      file.models.size() > 1 ? " (the file is the same for each)" : "")});
  table.AddRow({"layout", absl::StrCat(file.from, " to ", options.layout)});
  if (!file.state_dict.empty()) table.AddRow({"state dict", DictName(file.state_dict)});
  table.AddRow({"tensors", absl::StrCat(file.tensors)});
  for (const Unstorable& part : file.left_out) {
    table.AddRow({"left out", absl::StrCat(Brief(part.name), ": ", part.reason)});
  }
  if (!file.lacking.empty()) {
    table.AddRow({"lacking", absl::StrCat(absl::StrJoin(file.lacking, ", "), ", as in the checkpoint")});
  }
  if (!file.filled.empty()) {
    table.AddRow({"filled", absl::StrCat(absl::StrJoin(file.filled, ", "), ", which the checkpoint lacks and ",
                                         options.layout, " wants")});
  }
  if (!file.licence.empty()) {
    table.AddRow({"licence", absl::StrCat(file.licence, ", of the published weights",
                                          file.licence_note.empty() ? "" : ". ", file.licence_note)});
  }
  table.AddRow({"file", absl::StrCat(options.out, ", ", FormatBytes(file.bytes))});
  std::cout << FitStdout(table);
}

void AddToReport(const ConvertedFile& file, const ConvertOptions& options, nlohmann::ordered_json& report) {
  auto left_out = nlohmann::ordered_json::array();
  for (const Unstorable& part : file.left_out) left_out.push_back({{"name", part.name}, {"reason", part.reason}});
  report.update({{"path", options.out},
                 {"size_bytes", file.bytes},
                 {"models", file.models},
                 {"from", file.from},
                 {"layout", options.layout},
                 {"state_dict", file.state_dict},
                 {"tensors", file.tensors},
                 {"left_out", left_out},
                 {"lacking", file.lacking},
                 {"filled", file.filled},
                 {"licence", file.licence},
                 {"licence_note", file.licence_note}});
}

absl::Status Convert(ConvertFlags& flags) {
  ASSIGN_OR_RETURN(const ConvertOptions options, ParseOptions(flags));
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  ASSIGN_OR_RETURN(const ConvertedFile file, ConvertCheckpoint(registry, options));
  flags.report.is_wanted() ? AddToReport(file, options, flags.report.fields()) : Print(file, options);
  return absl::OkStatus();
}

}  // namespace

Command ConvertCommand() {
  return {
      .name = "convert",
      .summary = "Writes a checkpoint in another layout, as a safetensors file.",
      .begin = TakesFlags<ConvertFlags>(Convert),
  };
}

}  // namespace modelport
