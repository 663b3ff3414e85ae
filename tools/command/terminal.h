// How wide what is printed may be.
#ifndef MODELPORT_TOOLS_COMMAND_TERMINAL_H_
#define MODELPORT_TOOLS_COMMAND_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "common/text/table.h"

namespace modelport {

// The columns of the terminal that stdout goes to, or those that the variable COLUMNS states; nullopt where stdout goes
// to a file or another program, which takes lines of any length.
absl::optional<size_t> StdoutColumns();

// The columns of a page of help: those of the terminal, but at most 120, in which lines are still easy to read; 80 for
// a file or another program.
size_t HelpColumns();

// `table` in the columns of stdout. In a file or another program, each row is one line.
std::string FitStdout(const Table& table);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_TERMINAL_H_
