// The effect of a wrong eps can be smaller than rounding, so every constant is also compared as data with the value
// that upstream's constructors set.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "registry/wrappers.h"
#include "tests/mutation/constants_check.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

using testing::IsEmpty;

// What `export --with_preprocess` puts around a variant, without the model in it; nullopt: it has nothing for images.
absl::StatusOr<absl::optional<ModuleTree>> ImageTree(const CatalogEntry& entry) {
  const auto& [plugin, variant] = entry;
  const std::vector<const Wrapper*> wrappers = WrappersOf(*plugin, *variant, /*target=*/"");
  if (wrappers.empty()) return absl::optional<ModuleTree>();
  ASSIGN_OR_RETURN(const ModuleTree model, BuildModuleTree(plugin->library, variant->module));
  ASSIGN_OR_RETURN(ModuleTree tree, BuildWithin(*wrappers.front(), *plugin, *variant, model));
  auto& children = tree.root.children;
  children.erase(
      std::remove_if(children.begin(), children.end(), [](const auto& child) { return child.name == "model"; }),
      children.end());
  return absl::make_optional(std::move(tree));
}

// Expects of each variant of a table that the tree `tree_of` gives for it has the table's constants.
template <typename TreeOf>
void ExpectConstants(const std::string& path, const TreeOf& tree_of) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const ConstantsTable table, ReadConstantsTable(path));
  ASSERT_FALSE(table.variants.empty());
  for (const std::string& variant : table.variants) {
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(variant));
    ASSERT_OK_AND_ASSIGN(const absl::optional<ModuleTree> tree, tree_of(entry));
    ASSERT_TRUE(tree.has_value()) << variant;
    EXPECT_THAT(CheckConstants(*tree, table, variant), IsEmpty()) << variant;
  }
}

class ConstantsTest : public testing::TestWithParam<std::string> {};
class ImageConstantsTest : public testing::TestWithParam<std::string> {};

TEST_P(ImageConstantsTest, AgreeWithUpstreamsPreparationOfImages) { ExpectConstants(GetParam(), ImageTree); }

INSTANTIATE_TEST_SUITE_P(Families, ImageConstantsTest, testing::ValuesIn(FamilyFiles("image_constants.txt")));

// Where all variants prepare images alike, the goldens of one speak for all.
TEST(ImageConstantsTest, VariantsThatDifferAreListed) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  std::map<std::string, std::map<std::string, std::vector<std::string>>> variants;  // By family and constants.
  for (const CatalogEntry& entry : registry.catalog()) {
    ASSERT_OK_AND_ASSIGN(const absl::optional<ModuleTree> tree, ImageTree(entry));
    if (tree) variants[entry.plugin->family][ConstantsText(*tree)].push_back(entry.variant->name);
  }
  for (const auto& [family, by_constants] : variants) {
    if (by_constants.size() == 1) continue;
    const absl::StatusOr<ConstantsTable> table =
        ReadConstantsTable("models/" + family + "/testdata/image_constants.txt");
    for (const auto& [constants, names] : by_constants) {
      EXPECT_OK(table.status()) << "for the variants " << testing::PrintToString(names) << " with " << constants;
      EXPECT_THAT(table.ok() ? table->variants : names, testing::IsSupersetOf(names)) << family;
    }
  }
}

TEST_P(ConstantsTest, AgreeWithUpstreamsConstructors) {
  ExpectConstants(GetParam(), [](const CatalogEntry& entry) -> absl::StatusOr<absl::optional<ModuleTree>> {
    return BuildModuleTree(entry.plugin->library, entry.variant->module);
  });
}

INSTANTIATE_TEST_SUITE_P(Families, ConstantsTest, testing::ValuesIn(FamilyFiles("constants.txt")));

TEST(ConstantsTest, EveryVariantOfTheCatalogIsListed) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  for (const CatalogEntry& entry : registry.catalog()) {
    const std::string path = "models/" + entry.plugin->family + "/testdata/constants.txt";
    ASSERT_OK_AND_ASSIGN(const ConstantsTable table, ReadConstantsTable(path));
    EXPECT_THAT(table.variants, testing::Contains(entry.variant->name));
  }
}

// The table of these lines.
absl::StatusOr<ConstantsTable> Table(const std::string& lines) {
  const std::string path = testing::TempDir() + "/constants.txt";
  std::ofstream(path) << lines;
  return ReadConstantsTable(path);
}

TEST(ConstantsTest, ALineHasTheValueOfMostModelsAndThoseOfOthers) {
  ASSERT_OK_AND_ASSIGN(const ConstantsTable table,
                       Table("# a comment\nmodels: a b c d\n\neps | 1e-6 | b d: 1e-5 | c: -\nheads | [1, 2]\n"));
  EXPECT_THAT(table.variants, testing::ElementsAre("a", "b", "c", "d"));
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[0].values,
            (std::map<std::string, std::string>{{"a", "1e-6"}, {"b", "1e-5"}, {"c", "-"}, {"d", "1e-5"}}));
  EXPECT_EQ(table.rows[1].values.at("d"), "[1, 2]");
}

TEST(ConstantsTest, OtherLinesSayWhatIsWrong) {
  const std::pair<std::string, std::string> kCases[] = {
      {"eps | 1", "wants models: NAME NAME"},
      {"models: a b\neps", "wants CONSTANT | VALUE"},
      {"models: a b\neps | 1 | b", "b: wants MODEL: VALUE"},
      {"models: a b\neps | 1 | c: 2", "c: is none of the models"},
      {"models: a b\neps | 1 | b: 2 | b: 3", "b: has two values"},
  };
  for (const auto& [lines, message] : kCases) {
    EXPECT_THAT(Table(lines), StatusIs(absl::StatusCode::kInvalidArgument, testing::EndsWith(message)));
  }
}

}  // namespace
}  // namespace modelport
