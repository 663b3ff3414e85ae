#include "tools/command/tool_call.h"

#include "absl/strings/str_cat.h"

namespace modelport {

__attribute__((weak)) absl::string_view AllToolsProgram() { return ""; }

std::string ToolCall(absl::string_view tool, absl::string_view arguments) {
  const absl::string_view program = AllToolsProgram();
  if (!program.empty()) return absl::StrCat(program, " ", tool, arguments.empty() ? "" : " ", arguments);
  return absl::StrCat("bazel run //tools:", tool, arguments.empty() ? "" : " -- ", arguments);
}

}  // namespace modelport
