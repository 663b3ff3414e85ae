#include "tools/diff/configuration.h"

#include <memory>
#include <string>

#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kModules[] = R"yaml(modules:
  Leaf(dim): {parameters: {weight: [dim]}, constants: {eps: 0.5}}
  Net(dim, depth=2):
    attributes: {gain: {value: 1.0, min: 0, max: 2, help: Factor}}
    children: {blocks: [{repeat: depth, module: Leaf(dim)}]}
)yaml";

Configuration Describe(const std::string& text) {
  auto library = std::make_shared<ModuleLibrary>();
  EXPECT_OK(library->AddFile({"m.yaml", kModules}));
  const auto call = ParseCall(text);
  EXPECT_OK(call);
  const auto tree = BuildModuleTree(library, *call);
  EXPECT_OK(tree);
  return DescribeTree(*tree, *call);
}

TEST(DescribeTreeTest, ListsEverySettingByName) {
  EXPECT_THAT(Describe("Net(3, depth=1)"),
              ElementsAre(Pair("argument depth", "1"), Pair("argument dim", "3"), Pair("attribute gain", "1.0"),
                          Pair("constant blocks.0.eps", "0.5"), Pair("knob gain", "1 in 0 to 2"),
                          Pair("module type of blocks.0", "Leaf"), Pair("module type of the root", "Net")));
}

TEST(CompareConfigurationsTest, ListsWhatDiffers) {
  EXPECT_THAT(CompareConfigurations(Describe("Net(3, depth=1)"), Describe("Net(4)")),
              ElementsAre(FieldsAre("argument depth", "1", "2"), FieldsAre("argument dim", "3", "4"),
                          FieldsAre("constant blocks.1.eps", absl::nullopt, "0.5"),
                          FieldsAre("module type of blocks.1", absl::nullopt, "Leaf")));
  EXPECT_THAT(CompareConfigurations({{"a", "1"}, {"c", "2"}}, {{"b", "1"}}),
              ElementsAre(FieldsAre("a", "1", absl::nullopt), FieldsAre("b", absl::nullopt, "1"),
                          FieldsAre("c", "2", absl::nullopt)));
  EXPECT_THAT(CompareConfigurations(Describe("Net(3)"), Describe("Net(3)")), IsEmpty());
}

}  // namespace
}  // namespace modelport
