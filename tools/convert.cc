// Writes a checkpoint in another layout.
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/left_out.h"
#include "common/keymap/source_choice.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/embedded_plugins.h"
#include "pipeline/convert_checkpoint.h"
#include "tools/load_registry.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, checkpoint, "", "the file to convert");
ABSL_FLAG(std::string, layout, "", "the layout to write: one of the plugin's keymap.yaml, such as transformers");
ABSL_FLAG(std::string, out, "", "the safetensors file to write");
ABSL_FLAG(std::string, from, "auto", "how the checkpoint names its keys: auto or a layout of the plugin's keymap.yaml");
ABSL_FLAG(std::string, model, "", "the variant that the checkpoint is of; without one, those that it fits");
ABSL_FLAG(std::string, state_dict, "",
          "the dictionary to convert, such as teacher or a.b, or . for the root; by default the one that fits");
ABSL_FLAG(std::vector<std::string>, leave_out, {},
          "keys of the checkpoint that need not be written if the layout cannot hold them, separated by commas; {name} "
          "stands for a part of a key, {name*} for several");

namespace modelport {
namespace {

absl::StatusOr<ConvertOptions> ParseOptions() {
  ConvertOptions options = {
      .checkpoint = ResolveUserPath(absl::GetFlag(FLAGS_checkpoint)),
      .choice = ParseSourceChoice(absl::GetFlag(FLAGS_from), absl::GetFlag(FLAGS_state_dict)),
      .model = absl::GetFlag(FLAGS_model),
      .layout = absl::GetFlag(FLAGS_layout),
      .leave_out = absl::GetFlag(FLAGS_leave_out),
      .out = ResolveUserPath(absl::GetFlag(FLAGS_out)),
  };
  if (absl::GetFlag(FLAGS_checkpoint).empty()) return absl::InvalidArgumentError("--checkpoint is missing");
  if (options.layout.empty()) {
    return absl::InvalidArgumentError("--layout is missing: it names the layout to write, such as transformers");
  }
  if (absl::GetFlag(FLAGS_out).empty()) return absl::InvalidArgumentError("--out is missing");
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
  table.AddRow({"file", absl::StrCat(options.out, ", ", FormatBytes(file.bytes))});
  std::cout << table.ToString();
}

absl::Status Convert() {
  ASSIGN_OR_RETURN(const ConvertOptions options, ParseOptions());
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(EmbeddedPlugins()));
  ASSIGN_OR_RETURN(const ConvertedFile file, ConvertCheckpoint(registry, options));
  Print(file, options);
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv, "Writes a checkpoint in another layout, as a safetensors file.",
                            modelport::Convert);
}
