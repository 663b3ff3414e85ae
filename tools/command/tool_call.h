// How messages and help tell users to call a tool.
#ifndef MODELPORT_TOOLS_COMMAND_TOOL_CALL_H_
#define MODELPORT_TOOLS_COMMAND_TOOL_CALL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// Says that this program has all tools as its commands and is called `name`, "modelport". Without it, each tool is a
// program of its own. To be called before ToolCall.
void SetAllToolsProgram(absl::string_view name);

// The name that Modelport's repository has in the workspace of another that built the program at `path`, with an @
// before it: "@modelport" of "/base/bazel-out/k8-opt/bin/external/modelport/tools/list/list"; "" in Modelport's own.
std::string RepositoryOf(absl::string_view path);

// The same of this program.
const std::string& ModelportRepository();

// The call of `tool`: "bazel run //tools:list", or "modelport list". In the workspace of another repository it is
// "bazel run @modelport//tools:list". With `arguments`, "bazel run //tools:list -- --x",
// or "modelport list --x".
std::string ToolCall(absl::string_view tool, absl::string_view arguments = "");

// Where users find a page of the documentation: "docs/json.md" of "json.md", or "share/doc/modelport/json.md" in the
// archive of a program of all tools.
std::string PagePlace(absl::string_view page);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_TOOL_CALL_H_
