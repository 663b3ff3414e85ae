#include "tools/command/command.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/wrap.h"
#include "tools/command/user_path.h"

namespace modelport {

std::string ShortSummary(const Command& command) {
  const size_t end = command.summary.find(". ");
  return end == std::string::npos ? command.summary : command.summary.substr(0, end + 1);
}

std::string CommandHelp(const Command& command, size_t columns) {
  const std::string arguments = command.arguments.empty() ? "" : absl::StrCat(" ", command.arguments);
  return absl::StrCat(absl::StrJoin(Wrap(command.summary, columns), "\n"), "\nUsage: ", command.name, " [FLAG]...",
                      arguments, "\n\n", FlagsTable(command.flags, columns));
}

Command::Run TakesFlags(std::function<absl::Status()> run) {
  return [run = std::move(run)](const std::vector<std::string>& others) {
    if (others.empty()) return run();
    return absl::InvalidArgumentError(absl::StrCat(others.front(), ": is no flag; flags are written --name=value"));
  };
}

Command::Run TakesFiles(std::function<absl::Status(const std::vector<std::string>& paths)> run) {
  return [run = std::move(run)](std::vector<std::string> others) {
    for (std::string& path : others) path = ResolveUserPath(path);
    return run(others);
  };
}

}  // namespace modelport
