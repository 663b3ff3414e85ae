#include "common/text/table.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(TableTest, ColumnsAreAligned) {
  Table table;
  table.AddRow({"model", "dav2_vits", "x"});
  table.AddRow({"a", "b"});
  table.AddRow({"parameters", "24.8 M", "y"});
  EXPECT_EQ(table.ToString(),
            "model       dav2_vits  x\n"
            "a           b\n"
            "parameters  24.8 M     y\n");
}

TEST(TableTest, EmptyIsNothing) { EXPECT_EQ(Table().ToString(), ""); }

}  // namespace
}  // namespace modelport
