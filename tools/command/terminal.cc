#include "tools/command/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace modelport {

absl::optional<size_t> StdoutColumns() {
  size_t columns = 0;
  const char* const stated = std::getenv("COLUMNS");
  if (stated != nullptr && absl::SimpleAtoi(stated, &columns) && columns > 0) return columns;
  winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return absl::nullopt;
}

size_t HelpColumns() {
  constexpr size_t kMost = 120, kOtherwise = 80;
  return std::min(kMost, StdoutColumns().value_or(kOtherwise));
}

std::string FitStdout(const Table& table) {
  const absl::optional<size_t> columns = StdoutColumns();
  return columns ? table.ToString(*columns) : table.ToString();
}

}  // namespace modelport
