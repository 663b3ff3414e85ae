#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kWrongWrapper = absl::StatusCode::kInvalidArgument;

constexpr char kWrapperModules[] = R"yaml(modules:
  Leaf(dim): {parameters: {weight: [dim]}}
  Net(dim, depth=2):
    buffers: {scale: [1]}
    constants: {width: dim}
    attributes: {gain: {value: 1.0, min: 0, max: 2, help: Factor}}
    children: {blocks: [{repeat: depth, module: Leaf(dim)}]}
  Wrapper(mean, size, count): {constants: {mean: mean, size: size, count: count}}
  Heavy(): {children: {own: Leaf(1)}}
  Clash(): {attributes: {model: 1}}
)yaml";

std::shared_ptr<const ModuleLibrary> Library() {
  auto library = std::make_shared<ModuleLibrary>();
  EXPECT_OK(library->AddFile({"m.yaml", kWrapperModules}));
  return library;
}

// Wraps the tree of `call` in a tree of `wrapper`.
absl::StatusOr<ModuleTree> Wrap(const std::string& wrapper, const std::string& call) {
  ASSIGN_OR_RETURN(const ModuleTree model, BuildModuleTree(Library(), *ParseCall(call)));
  return WrapTree(model, *ParseCall(wrapper), {{"mean", std::vector<double>{0.5, 0.25}}}, *ParseCall(call));
}

TEST(WrapTreeTest, TheModelsSlotsKeepTheirOrderBelowModel) {
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

// Every member comes with its module.
TEST(WrapTreeTest, TheModelIsCopiedWhole) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree alone, BuildModuleTree(Library(), *ParseCall("Net(3)")));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Wrap("Wrapper(mean, dim, count=depth)", "Net(3)"));
  const ModuleNode& model = *tree.root.children[0].node;
  EXPECT_EQ(model.type->name(), "Net");
  EXPECT_EQ(model.constants, alone.root.constants);
  EXPECT_EQ(model.attributes, alone.root.attributes);
  ASSERT_THAT(model.knobs, SizeIs(1));
  EXPECT_EQ(model.knobs[0].name, "gain");
  ASSERT_THAT(model.buffers, SizeIs(1));
  EXPECT_EQ(model.buffers[0].slot, 0);
  const ModuleNode& blocks = *model.children[0].node;
  EXPECT_TRUE(blocks.is_list());
  ASSERT_THAT(blocks.children, SizeIs(2));
  EXPECT_EQ(blocks.children[1].node->path, "model.blocks.1");
  ASSERT_THAT(blocks.children[1].node->parameters, SizeIs(1));
  EXPECT_EQ(tree.slots[blocks.children[1].node->parameters[0].slot].name, "model.blocks.1.weight");
}

TEST(WrapTreeTest, TheWrapperMayUseTheRootsArgumentsAndTheScope) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Wrap("Wrapper(mean, dim, count=depth)", "Net(3)"));
  ASSERT_THAT(tree.root.constants, SizeIs(3));
  EXPECT_EQ(ValueString(tree.root.constants[0].second), "[0.5, 0.25]");
  EXPECT_EQ(tree.root.constants[1].second, Value(int64_t{3}));
  EXPECT_EQ(tree.root.constants[2].second, Value(int64_t{2}));
}

TEST(WrapTreeTest, AWrapperThatDoesNotFitIsAnError) {
  EXPECT_THAT(Wrap("Wrapper(mean, width, 1)", "Net(3)"),
              StatusIs(kWrongWrapper, HasSubstr("argument \"size\" of Wrapper: unknown name \"width\"")));
  EXPECT_THAT(Wrap("Wraper(mean)", "Net(3)"), StatusIs(kWrongWrapper, HasSubstr("nearest: Wrapper")));
  EXPECT_THAT(Wrap("Heavy()", "Net(3)"), StatusIs(kWrongWrapper, HasSubstr("a wrapper has neither tensors")));
  EXPECT_THAT(Wrap("Clash()", "Net(3)"), StatusIs(kWrongWrapper, HasSubstr("a wrapper has neither tensors")));
}

}  // namespace
}  // namespace modelport
