#include "tools/command/terminal.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// A test's stdout is a file.
TEST(TerminalTest, AFileTakesLinesOfAnyLength) {
  unsetenv("COLUMNS");
  EXPECT_EQ(StdoutColumns(), absl::nullopt);
  EXPECT_EQ(HelpColumns(), 80u);
  setenv("COLUMNS", "many", 1);
  EXPECT_EQ(StdoutColumns(), absl::nullopt);
}

TEST(TerminalTest, TheVariableStatesTheColumns) {
  setenv("COLUMNS", "50", 1);
  EXPECT_EQ(StdoutColumns(), absl::optional<size_t>(50));
  EXPECT_EQ(HelpColumns(), 50u);
  setenv("COLUMNS", "200", 1);
  EXPECT_EQ(HelpColumns(), 120u);
}

TEST(TerminalTest, ATableFits) {
  Table table;
  table.AddRow({"note", "what is left out of the input"});
  setenv("COLUMNS", "30", 1);
  EXPECT_EQ(FitStdout(table), "note  what is left out of the\n      input\n");
  unsetenv("COLUMNS");
  EXPECT_EQ(FitStdout(table), "note  what is left out of the input\n");
}

}  // namespace
}  // namespace modelport
