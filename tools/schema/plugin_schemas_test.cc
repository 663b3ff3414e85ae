#include "tools/schema/plugin_schemas.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.is_open()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(PluginSchemasTest, ThoseInTheDocsAreMadeFromThePage) {
  ASSERT_OK_AND_ASSIGN(const std::vector<SchemaFile> schemas, MakePluginSchemas(ReadFile("docs/plugins.md")));
  EXPECT_THAT(schemas, SizeIs(3));
  for (const SchemaFile& schema : schemas) {
    const std::string path = "docs/schema/" + schema.name;
    EXPECT_TRUE(ReadFile(path) == schema.text)
        << path << " differs from the tables in docs/plugins.md; write it anew: ./bazelw run //tools/schema:write";
  }
}

// The page with `to` in the place of `from`.
std::string ChangedPage(const std::string& from, const std::string& to) {
  const std::string page = ReadFile("docs/plugins.md");
  EXPECT_THAT(page, HasSubstr(from));
  return absl::StrReplaceAll(page, {{from, to}});
}

TEST(PluginSchemasTest, AChangeOfATableIsAChangeOfTheSchema) {
  ASSERT_OK_AND_ASSIGN(const std::vector<SchemaFile> schemas,
                       MakePluginSchemas(ChangedPage("| `hub` | text |", "| `hubs` | integer above 0 |")));
  EXPECT_THAT(schemas[0].text, AllOf(HasSubstr("\"hubs\": {\n"), testing::Not(HasSubstr("\"hub\""))));
}

TEST(PluginSchemasTest, EveryTypeAndConditionWithoutMeaningIsNamed) {
  std::string page = ChangedPage("| `hub` | text |", "| `hub` | texts |");
  page = absl::StrReplaceAll(page, {{"list of families | no, not with `extends`", "list of cats | perhaps"}});
  EXPECT_THAT(MakePluginSchemas(page), StatusIs(kInvalid,
                                                R"(docs/plugins.md: 3 problems
  hub: unknown type "texts"
  uses: unknown condition "perhaps"
  uses: unknown type "cat")"));
}

TEST(PluginSchemasTest, EveryTableMustBeThere) {
  EXPECT_THAT(MakePluginSchemas("| field | type |\n|:--|:--|\n"),
              StatusIs(kInvalid, "docs/plugins.md: wants 16 tables of fields, has 1"));
}

}  // namespace
}  // namespace modelport
