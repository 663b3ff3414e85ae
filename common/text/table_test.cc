#include "common/text/table.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(TableTest, ColumnsAreAligned) {
  Table table;
  table.AddRow({"model", "depth_net", "x"});
  table.AddRow({"a", "b"});
  table.AddRow({"parameters", "24.8 M", "y"});
  EXPECT_EQ(table.ToString(),
            "model       depth_net  x\n"
            "a           b\n"
            "parameters  24.8 M     y\n");
}

TEST(TableTest, ARowIsOneLine) {
  Table table;
  table.AddRow({"a\nb", "\x1b[2J"});
  EXPECT_EQ(table.ToString(), "a\\nb  \\x1b[2J\n");
}

TEST(TableTest, ALongCellWidensNoOtherRow) {
  Table table;
  const std::string large(1000, 'a');
  table.AddRow({large, "x"});
  table.AddRow({"b", "y"});
  EXPECT_EQ(table.ToString(), large + "  x\nb  y\n");
}

TEST(TableTest, TheLastCellBreaksWhereItsLineWouldBeTooLong) {
  Table table;
  table.AddRow({"--model", "the variant to export, such as this one"});
  table.AddRow({"--x", "y"});
  EXPECT_EQ(table.ToString(34),
            "--model  the variant to export,\n"
            "         such as this one\n"
            "--x      y\n");
  EXPECT_EQ(table.ToString(80), table.ToString());
  EXPECT_EQ(table.ToString(1), table.ToString(9 + 24));
}

TEST(TableTest, EmptyIsNothing) { EXPECT_EQ(Table().ToString(), ""); }

}  // namespace
}  // namespace modelport
