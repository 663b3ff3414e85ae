#include "common/module_tree/wrapped_tree.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr char kModules[] = R"yaml(modules:
  Leaf(dim): {parameters: {weight: [dim]}}
  Net(dim, depth=2):
    buffers: {scale: [1]}
    children: {blocks: [{repeat: depth, module: Leaf(dim)}]}
  Wrapper(mean, size, count): {constants: {mean: mean, size: size, count: count}}
  Heavy(): {children: {own: Leaf(1)}}
  Clash(): {attributes: {model: 1}}
)yaml";

std::shared_ptr<const ModuleLibrary> Library() {
  auto library = std::make_shared<ModuleLibrary>();
  EXPECT_OK(library->AddFile({"m.yaml", kModules}));
  return library;
}

// Wraps the tree of `call` in a tree of `wrapper`.
absl::StatusOr<ModuleTree> Wrap(const std::string& wrapper, const std::string& call) {
  return BuildWrappedTree(Library(), *ParseCall(wrapper), {{"mean", std::vector<double>{0.5, 0.25}}}, *ParseCall(call));
}

TEST(BuildWrappedTreeTest, TheModelsSlotsKeepTheirOrderBelowModel) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree alone, BuildModuleTree(Library(), *ParseCall("Net(3)")));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Wrap("Wrapper(mean, dim, count=depth)", "Net(3)"));
  ASSERT_EQ(tree.slots.size(), alone.slots.size());
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    EXPECT_EQ(tree.slots[i].name, "model." + alone.slots[i].name);
    EXPECT_EQ(tree.slots[i].shape, alone.slots[i].shape);
    EXPECT_EQ(tree.slots[i].is_buffer, alone.slots[i].is_buffer);
  }
  ASSERT_THAT(tree.root.children, SizeIs(1));
  EXPECT_EQ(tree.root.children[0].node->path, "model");
}

TEST(BuildWrappedTreeTest, TheWrapperMayUseTheRootsArgumentsAndTheScope) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Wrap("Wrapper(mean, dim, count=depth)", "Net(3)"));
  ASSERT_THAT(tree.root.constants, SizeIs(3));
  EXPECT_EQ(ValueString(tree.root.constants[0].second), "[0.5, 0.25]");
  EXPECT_EQ(tree.root.constants[1].second, Value(int64_t{3}));
  EXPECT_EQ(tree.root.constants[2].second, Value(int64_t{2}));
}

TEST(BuildWrappedTreeTest, AWrapperThatDoesNotFitIsAnError) {
  EXPECT_THAT(Wrap("Wrapper(mean, width, 1)", "Net(3)"),
              StatusIs(kInvalid, HasSubstr("argument \"size\" of Wrapper: unknown name \"width\"")));
  EXPECT_THAT(Wrap("Wraper(mean)", "Net(3)"), StatusIs(kInvalid, HasSubstr("nearest: Wrapper")));
  EXPECT_THAT(Wrap("Heavy()", "Net(3)"), StatusIs(kInvalid, HasSubstr("a wrapper has neither tensors")));
  EXPECT_THAT(Wrap("Clash()", "Net(3)"), StatusIs(kInvalid, HasSubstr("a wrapper has neither tensors")));
}

}  // namespace
}  // namespace modelport
