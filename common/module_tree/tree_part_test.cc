#include "common/module_tree/tree_part.h"

#include <memory>
#include <string>
#include <vector>

#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const ModuleTree& tree) {
  std::vector<std::string> names;
  for (const Slot& slot : tree.slots) names.push_back(slot.name);
  return names;
}

TEST(TreePartTest, HasTheSlotsBelowAChildByTheirNamesInIt) {
  auto library = std::make_shared<ModuleLibrary>();
  ASSERT_OK(library->AddFile({"modules.yaml", R"yaml(modules:
  Leaf(size): {parameters: {weight: [size]}, buffers: {mean: [size]}}
  Net():
    children:
      head: Leaf(1)
      head_two: Leaf(2)
      nested: {module: ["Leaf(3)"]}
)yaml"},
                             "models/net/modules.yaml"));
  ASSERT_OK_AND_ASSIGN(const Call call, ParseCall("Net()"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(library, call));
  EXPECT_THAT(Names(TreePart(tree, "head")), ElementsAre("weight", "mean"));
  EXPECT_EQ(TreePart(tree, "head").slots[0].shape, Shape{1});
  EXPECT_TRUE(TreePart(tree, "head").slots[1].is_buffer);
  EXPECT_EQ(TreePart(tree, "head_two").slots[0].shape, Shape{2});
  EXPECT_THAT(Names(TreePart(tree, "nested")), ElementsAre("0.weight", "0.mean"));
  EXPECT_THAT(Names(TreePart(tree, "none")), IsEmpty());
  EXPECT_EQ(Names(TreePart(tree, "")), Names(tree));
}

}  // namespace
}  // namespace modelport
