// The effect of a wrong eps can be smaller than rounding, so every constant is also compared as data with the value
// that upstream's constructors set.
#include <string>
#include <vector>

#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/mutation/constants_check.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

using testing::IsEmpty;

class ConstantsTest : public testing::TestWithParam<std::string> {};

TEST_P(ConstantsTest, AgreeWithUpstreamsConstructors) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const ConstantsTable table, ReadConstantsTable(GetParam()));
  ASSERT_FALSE(table.variants.empty());
  for (const std::string& variant : table.variants) {
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(variant));
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
    EXPECT_THAT(CheckConstants(tree, table, variant), IsEmpty()) << variant;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ConstantsTest, testing::ValuesIn(FamilyFiles("constants.txt")));

TEST(ConstantsTest, EveryVariantOfTheCatalogHasAColumn) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  for (const CatalogEntry& entry : registry.catalog()) {
    const std::string path = "models/" + entry.plugin->family + "/testdata/constants.txt";
    ASSERT_OK_AND_ASSIGN(const ConstantsTable table, ReadConstantsTable(path));
    EXPECT_THAT(table.variants, testing::Contains(entry.variant->name));
  }
}

}  // namespace
}  // namespace modelport
