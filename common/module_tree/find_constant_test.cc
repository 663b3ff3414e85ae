#include "common/module_tree/find_constant.h"

#include <memory>
#include <string>

#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(FindConstantTest, FindsConstantsByTheirPaths) {
  auto library = std::make_shared<ModuleLibrary>();
  ASSERT_OK(library->AddFile({"modules.yaml", R"yaml(modules:
  Leaf(size): {constants: {size: size, sides: [1, size]}}
  Net():
    constants: {depth: 3}
    attributes: {gain: 1}
    children:
      leaf: Leaf(2)
      list: {module: ["Leaf(5)"]}
)yaml"},
                             "models/net/modules.yaml"));
  ASSERT_OK_AND_ASSIGN(const Call call, ParseCall("Net()"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(library, call));
  const auto text = [&](const char* path) {
    const Value* const value = FindConstant(tree, path);
    return value == nullptr ? "none" : ValueString(*value);
  };
  EXPECT_EQ(text("depth"), "3");
  EXPECT_EQ(text("leaf.sides"), "[1, 2]");
  EXPECT_EQ(text("list.0.size"), "5");
  for (const char* path : {"size", "gain", "leaf", "list.1.size", "leaf.depth", ""}) EXPECT_EQ(text(path), "none");
}

}  // namespace
}  // namespace modelport
