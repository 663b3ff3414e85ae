#include "tools/schema/field_tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::SizeIs;

TEST(ReadFieldTablesTest, TakesTheTablesOfFields) {
  const std::vector<FieldTable> tables = ReadFieldTables(R"(# Page

| question | answer |
|:--|:--|
| `family` | no field |

| field | type | required | default | example |
|:--|:--|:--|:--|:--|
| `upstream.source` | text | unless `extends` | | `[https://]` URL, see [layers.md](layers.md) and [targets](#targets) |
| `published` | true or false | no | `true` | |

| field | type |
|:--|:--|
| `methods` | `\|` block |
The page goes on.
| `late` | text |
)");
  ASSERT_THAT(tables, SizeIs(2));
  ASSERT_THAT(tables[0], SizeIs(2));
  EXPECT_EQ(tables[0][0].name, "upstream.source");
  EXPECT_EQ(tables[0][0].type, "text");
  EXPECT_EQ(tables[0][0].required, "unless `extends`");
  EXPECT_EQ(tables[0][0].fallback, "");
  EXPECT_EQ(tables[0][0].text, "[https://] URL, see layers.md and targets");
  EXPECT_EQ(tables[0][1].fallback, "true");
  ASSERT_THAT(tables[1], SizeIs(1));
  EXPECT_EQ(tables[1][0].type, "| block");
  EXPECT_EQ(tables[1][0].required, "");
}

}  // namespace
}  // namespace modelport
