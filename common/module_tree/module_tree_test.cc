#include "common/module_tree/module_tree.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kInvalidTree = absl::StatusCode::kInvalidArgument;

absl::StatusOr<ModuleTree> Build(const std::string& modules, const std::string& call) {
  auto library = std::make_shared<ModuleLibrary>();
  const absl::Status added = library->AddFile({"m.yaml", modules});
  if (!added.ok()) return added;
  const absl::StatusOr<Call> parsed = ParseCall(call);
  if (!parsed.ok()) return parsed.status();
  return BuildModuleTree(library, *parsed);
}

// "NAME SHAPE" of every slot, "(buffer)" added to buffers.
std::string Slots(const ModuleTree& tree) {
  std::string text;
  for (const Slot& slot : tree.slots) {
    absl::StrAppend(&text, slot.name, " ", ShapeString(slot.shape), slot.is_buffer ? " (buffer)\n" : "\n");
  }
  return text;
}

constexpr char kModules[] = R"yaml(
modules:
  Linear(inputs, outputs, bias=1):
    parameters:
      weight: [outputs, inputs]
      bias: {shape: [outputs], when: bias}
  Gate(inputs, outputs):
    parameters: {gate: [outputs]}
    children: {proj: "Linear(inputs, outputs, bias=0)"}
  Block(dim, ffn):
    children:
      norm: Linear(dim, dim)
      mlp: ffn(dim, 2 * dim)
  Net(dim, depth, ffn=Linear, head=true):
    parameters: {token: [1, dim]}
    buffers: {mean: [3]}
    constants: {dim: dim, taps: [0, depth - 1]}
    attributes: {gain: 2.0}
    children:
      blocks:
        - Linear(3, dim)
        - {repeat: depth, module: "Block(dim, ffn)"}
        - Linear(dim, 1)
      head: {module: "Linear(dim, 7)", when: head}
)yaml";

TEST(ModuleTreeTest, SlotsComeInStateDictOrder) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kModules, "Net(dim=4, depth=2)"));
  EXPECT_EQ(Slots(tree), R"yaml(token [1, 4]
mean [3] (buffer)
blocks.0.weight [4, 3]
blocks.0.bias [4]
blocks.1.norm.weight [4, 4]
blocks.1.norm.bias [4]
blocks.1.mlp.weight [8, 4]
blocks.1.mlp.bias [8]
blocks.2.norm.weight [4, 4]
blocks.2.norm.bias [4]
blocks.2.mlp.weight [8, 4]
blocks.2.mlp.bias [8]
blocks.3.weight [1, 4]
blocks.3.bias [1]
head.weight [7, 4]
head.bias [7]
)yaml");
}

TEST(ModuleTreeTest, TypeArgumentsConditionsAndRepeatsOfZero) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree one, Build(kModules, "Net(4, 1, ffn=Gate, head=false)"));
  EXPECT_THAT(Slots(one),
              HasSubstr("blocks.1.mlp.gate [8]\nblocks.1.mlp.proj.weight [8, 4]\nblocks.2.weight [1, 4]\n"));
  EXPECT_THAT(Slots(one), testing::Not(HasSubstr("head")));
  ASSERT_OK_AND_ASSIGN(const ModuleTree none, Build(kModules, "Net(4, 0)"));
  EXPECT_THAT(Slots(none), HasSubstr("blocks.0.bias [4]\nblocks.1.weight [1, 4]\n"));
}

TEST(ModuleTreeTest, NodesKnowTypePathValuesAndSlots) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kModules, "Net(4, 3)"));
  const ModuleNode& root = tree.root;
  EXPECT_EQ(root.type->name(), "Net");
  EXPECT_EQ(root.path, "");
  ASSERT_THAT(root.constants, SizeIs(2));
  EXPECT_EQ(ValueString(root.constants[1].second), "[0, 2]");
  EXPECT_EQ(ValueString(root.attributes[0].second), "2.0");
  EXPECT_EQ(tree.slots[root.buffers[0].slot].name, "mean");
  const ModuleNode& blocks = *root.children[0].node;
  EXPECT_TRUE(blocks.is_list());
  EXPECT_EQ(blocks.path, "blocks");
  ASSERT_THAT(blocks.children, SizeIs(5));
  EXPECT_EQ(blocks.children[4].name, "4");
  EXPECT_EQ(blocks.children[1].node->children[1].node->path, "blocks.1.mlp");
  EXPECT_EQ(blocks.children[1].node->type, blocks.children[2].node->type);
}

TEST(ModuleTreeTest, ListsInListsAndConditionalLists) {
  constexpr char kLists[] = R"yaml(modules:
  Leaf(n): {parameters: {w: [n]}}
  Net(extra):
    children:
      levels: [{repeat: 2, module: [Leaf(1), {repeat: 2, module: Leaf(2)}]}, Leaf(3)]
      more: {module: [Leaf(4)], when: extra}
)yaml";
  ASSERT_OK_AND_ASSIGN(const ModuleTree without, Build(kLists, "Net(0)"));
  EXPECT_EQ(Slots(without), R"yaml(levels.0.0.w [1]
levels.0.1.w [2]
levels.0.2.w [2]
levels.1.0.w [1]
levels.1.1.w [2]
levels.1.2.w [2]
levels.2.w [3]
)yaml");
  EXPECT_TRUE(without.root.children[0].node->children[1].node->is_list());
  ASSERT_OK_AND_ASSIGN(const ModuleTree with, Build(kLists, "Net(1)"));
  EXPECT_THAT(Slots(with), HasSubstr("more.0.w [4]\n"));
}

TEST(ModuleTreeTest, AChildIsOneOfTwoModules) {
  constexpr char kEither[] = R"yaml(modules:
  Leaf(n): {parameters: {w: [n]}}
  Net(steps):
    children:
      conv: {module: Leaf(1), when: steps == 1, otherwise: [Leaf(2), {repeat: steps - 1, module: Leaf(3)}]}
)yaml";
  ASSERT_OK_AND_ASSIGN(const ModuleTree one, Build(kEither, "Net(1)"));
  EXPECT_EQ(Slots(one), "conv.w [1]\n");
  ASSERT_OK_AND_ASSIGN(const ModuleTree two, Build(kEither, "Net(2)"));
  EXPECT_EQ(Slots(two), "conv.0.w [2]\nconv.1.w [3]\n");
}

constexpr char kGroups[] = R"yaml(modules:
  Conv(n): {parameters: {w: [n]}}
  Act(): {}
  Net(depth, sizes, act=Act, last=true):
    children:
      layers:
        - {module: Conv(1), when: "sizes != []"}
        - repeat: depth
          modules: [Conv(2), {module: act(), when: act == Act}, {repeat: 2, modules: [Conv(3), Act()]}]
        - {module: "Conv(sizes[0])", repeat: 2, when: last and depth > 1}
        - Conv(9)
)yaml";

// The path of every slot.
std::string Paths(const absl::StatusOr<ModuleTree>& tree) {
  if (!tree.ok()) return std::string(tree.status().message());
  std::string text;
  for (const Slot& slot : tree->slots) absl::StrAppend(&text, slot.name, slot.shape[0], " ");
  return text;
}

TEST(ModuleTreeTest, IndicesContinueThroughGroupsAndSkipAbsentItems) {
  EXPECT_EQ(Paths(Build(kGroups, "Net(1, [7])")), "layers.0.w1 layers.1.w2 layers.3.w3 layers.5.w3 layers.7.w9 ");
  EXPECT_EQ(Paths(Build(kGroups, "Net(2, [7], act=Conv, last=false)")),
            "layers.0.w1 layers.1.w2 layers.2.w3 layers.4.w3 layers.6.w2 layers.7.w3 layers.9.w3 layers.11.w9 ");
  EXPECT_EQ(Paths(Build(kGroups, "Net(0, [])")), "layers.0.w9 ");
  EXPECT_EQ(Paths(Build(kGroups, "Net(2, [7, 5])")),
            "layers.0.w1 layers.1.w2 layers.3.w3 layers.5.w3 layers.7.w2 layers.9.w3 layers.11.w3 layers.13.w7 "
            "layers.14.w7 layers.15.w9 ");
}

TEST(ModuleTreeTest, ConstantsMayBeListsOfFloats) {
  constexpr char kMeans[] = "modules:\n  Net(scale): {constants: {mean: [0.5, scale, 1], none: []}}\n";
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kMeans, "Net(2)"));
  EXPECT_EQ(tree.root.constants[0].second, Value(std::vector<double>{0.5, 2.0, 1.0}));
  EXPECT_EQ(tree.root.constants[1].second, Value(std::vector<int64_t>{}));
}

// Evaluating a group takes time even if it adds nothing.
TEST(ModuleTreeTest, GroupsThatAddNothingAreBounded) {
  for (const char* item : {"{modules: [], repeat: n}", "{modules: [{module: L(), when: false}], repeat: n}",
                           "{modules: [{modules: [{module: L(), repeat: 0}], repeat: n}], repeat: n}"}) {
    const std::string modules = absl::StrCat("modules:\n  L(): {}\n  R(n): {children: {a: [", item, "]}}\n");
    EXPECT_OK(Build(modules, "R(100)")) << item;
    EXPECT_THAT(Build(modules, "R(1000000000000)"),
                StatusIs(kInvalidTree, HasSubstr("a: more than 500000 arguments and members in a tree")))
        << item;
  }
}

TEST(ModuleTreeTest, ABufferMayStateItsDType) {
  constexpr char kCounter[] = R"yaml(modules:
  Norm(n, tracks=1):
    buffers:
      mean: [n]
      steps: {shape: [], dtype: int64, when: tracks}
)yaml";
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kCounter, "Norm(2)"));
  ASSERT_THAT(tree.slots, SizeIs(2));
  EXPECT_EQ(tree.slots[0].dtype, absl::nullopt);
  EXPECT_EQ(tree.slots[1].dtype, DType::kInt64);
  EXPECT_TRUE(tree.slots[1].is_buffer);
  EXPECT_THAT(tree.slots[1].shape, SizeIs(0));
}

struct TreeErrorCase {
  std::string name;
  std::string type;  // The body of F(n, t=Leaf), in YAML's flow style.
  std::string call;
  std::string error;
};

class ModuleTreeErrorTest : public testing::TestWithParam<TreeErrorCase> {};

TEST_P(ModuleTreeErrorTest, IsReportedWithPlaceAndPath) {
  const std::string modules = absl::StrCat(R"yaml(modules:
  Leaf(): {}
  Sized(n): {parameters: {w: [n]}}
  Own(): {children: {own: Own()}}
  F(n, t=Leaf):
    )yaml",
                                           GetParam().type, "\n");
  EXPECT_THAT(Build(modules, GetParam().call), StatusIs(kInvalidTree, GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, ModuleTreeErrorTest,
    testing::Values(
        TreeErrorCase{"ZeroSize", "parameters: {w: [4, n]}", "F(0)", "m.yaml:6:18: size n of \"w\" is 0"},
        TreeErrorCase{"NegativeSizeBelow", "children: {a: [Leaf(), Sized(n - 9)]}", "F(2)",
                      "m.yaml:3:27: a.1: size n of \"w\" is -7"},
        TreeErrorCase{"TooManyElementsToCount", "parameters: {w: [n, n, n]}", "F(4000000000)",
                      "m.yaml:6:18: \"w\" [4000000000, 4000000000, 4000000000] is too large"},
        TreeErrorCase{"SizeIsNoInteger", "parameters: {w: [n]}", "F(0.5)", "m.yaml:6:18: wants an integer, has 0.5"},
        TreeErrorCase{"UnknownNameInShape", "parameters: {w: [m]}", "F(1)",
                      "m.yaml:6:18: unknown name \"m\"; known: n, t"},
        TreeErrorCase{"UnknownRoot", "{}", "G(1)", "unknown module type \"G\"; known: F, Leaf, Own, Sized"},
        TreeErrorCase{"WrongRootArguments", "{}", "F(m=1)", "F has no argument \"m\"; the signature is F(n, t=Leaf)"},
        TreeErrorCase{"UnknownTypeArgument", "{}", "F(1, t=Leef)",
                      "argument \"t\" of F: unknown name \"Leef\"; nearest: Leaf"},
        TreeErrorCase{"ArgumentIsNoType", "children: {a: n()}", "F(1)",
                      "m.yaml:6:19: a: argument \"n\" wants a module type, has 1"},
        TreeErrorCase{"UnknownChildType", "children: {a: Lief()}", "F(1)",
                      "m.yaml:6:19: a: unknown module type \"Lief\"; nearest: Leaf"},
        TreeErrorCase{"WrongChildArguments", "children: {a: Sized()}", "F(1)",
                      "m.yaml:6:19: a: Sized lacks argument \"n\"; the signature is Sized(n)"},
        TreeErrorCase{"TypeForConstant", "constants: {c: t}", "F(1)",
                      "m.yaml:6:17: \"c\" wants a value, has the name Leaf"},
        TreeErrorCase{"TextForCondition", "parameters: {w: {shape: [1], when: n}}", "F(\"yes\")",
                      "m.yaml:6:18: wants an integer, has \"yes\""},
        TreeErrorCase{"NegativeRepeat", "children: {a: [{repeat: n, module: Leaf()}]}", "F(-1)",
                      "m.yaml:6:40: a: repeat n is -1"},
        TreeErrorCase{"Recursion", "children: {a: Own()}", "F(1)",
                      "m.yaml:4:27: a.own: module type Own contains itself"},
        TreeErrorCase{"RecursionThroughAnArgument", "children: {a: t(n)}", "F(1, t=F)",
                      "m.yaml:6:19: a: module type F contains itself"},
        TreeErrorCase{"EndlessRepeat", "children: {a: [{repeat: n, module: Leaf()}]}", "F(9000000000000000000)",
                      "m.yaml:6:40: a: more than 10000 arguments and members of a module"},
        TreeErrorCase{
            "EndlessRepeats",
            "children: {a: [{repeat: n, module: [{repeat: n, module: Leaf()}]}], b: [{repeat: n, module: Leaf()}]}",
            "F(1000000000)", "m.yaml:6:61: a.0: more than 10000 arguments and members of a module"},
        TreeErrorCase{"TooManyModules", "children: {a: [{repeat: n, module: [{repeat: n, module: Leaf()}]}]}",
                      "F(1000)", "m.yaml:6:61: a.99.898: more than 100000 modules in a tree"},
        TreeErrorCase{"TooManyElements", "children: {a: [{repeat: 11, module: Sized(n)}]}", "F(10000000000)",
                      "m.yaml:3:27: a.10: more than 100000000000 elements in a tree"},
        TreeErrorCase{"ElementsThatWrapToZeroBytes", "parameters: {w: [n]}", "F(4611686018427387904)",
                      "m.yaml:6:18: more than 100000000000 elements in a tree"},
        TreeErrorCase{"OneOfManyEqualOnes", "children: {a: [{repeat: n, module: Sized(0)}]}", "F(40)",
                      "m.yaml:3:27: a.0: size n of \"w\" is 0"}),
    [](const auto& info) { return info.param.name; });

TEST(ModuleTreeTest, AllProblemsAreReportedAtOnce) {
  EXPECT_THAT(Build(R"yaml(modules:
  Sized(n): {parameters: {w: [n]}}
  F(n):
    parameters: {a: [n // 0], b: [n]}
    children: {c: Sized(n), d: Sized(1)}
)yaml",
                    "F(0)"),
              StatusIs(kInvalidTree, R"yaml(F(0): 3 problems
  m.yaml:2:27: c: size n of "w" is 0
  m.yaml:4:18: "n // 0": division by zero
  m.yaml:4:31: size n of "b" is 0)yaml"));
}

// T0 to Tcount, each of which has the text that `body` gives for its number.
template <typename Body>
std::string Types(int count, Body body) {
  std::string modules = "modules:\n";
  for (int i = 0; i <= count; ++i) absl::StrAppend(&modules, "  T", i, "(): ", body(i), "\n");
  return modules;
}

TEST(ModuleTreeTest, ATreeThatDoublesAtEachLevelIsBounded) {
  const std::string modules = Types(
      40, [](int i) { return i == 0 ? "{}" : absl::StrCat("{children: {a: T", i - 1, "(), b: T", i - 1, "()}}"); });
  EXPECT_THAT(Build(modules, "T40()"), StatusIs(kInvalidTree, HasSubstr("more than 100000 modules in a tree")));
}

TEST(ModuleTreeTest, AChainOfTypesIsBounded) {
  const auto chain = [](int length) {
    return Types(length, [](int i) {
      return i == 0 ? "{parameters: {w: [1]}}" : absl::StrCat("{children: {a: T", i - 1, "()}}");
    });
  };
  EXPECT_OK(Build(chain(49), "T49()"));
  EXPECT_THAT(Build(chain(20000), "T20000()"),
              StatusIs(kInvalidTree, HasSubstr("more than 50 levels of modules in a tree")));
}

TEST(ModuleTreeTest, ListsWithinListsCountAsLevels) {
  const std::string leaf = "modules:\n  L(): {}\n  R(): {children: {a: ";
  const auto nested = [&](int depth) {
    return absl::StrCat(leaf, std::string(depth, '['), "L()", std::string(depth, ']'), "}}\n");
  };
  EXPECT_OK(Build(nested(30), "R()"));
  const std::string twice =
      absl::StrCat(leaf, std::string(30, '['), "M()", std::string(30, ']'), "}}\n",
                   "  M(): {children: {a: ", std::string(30, '['), "L()", std::string(30, ']'), "}}\n");
  EXPECT_THAT(Build(twice, "R()"), StatusIs(kInvalidTree, HasSubstr("more than 50 levels of modules in a tree")));
}

// Evaluating a member takes time even if its condition is false.
TEST(ModuleTreeTest, MembersThatDoNotExistCountToo) {
  std::string modules = "modules:\n  L():\n    parameters:\n";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&modules, "      w", i, ": {shape: [1], when: false}\n");
  absl::StrAppend(&modules, "  R(n): {children: {a: [{repeat: n, module: L()}]}}\n");
  EXPECT_OK(Build(modules, "R(90)"));
  EXPECT_THAT(Build(modules, "R(1000)"),
              StatusIs(kInvalidTree, HasSubstr("a.99: more than 500000 arguments and members in a tree")));
}

TEST(ModuleTreeTest, OnlyTheFirstHundredProblemsAreReported) {
  const std::string modules = Types(40, [](int i) {
    return i == 0 ? "{parameters: {w: [0]}}" : absl::StrCat("{children: {a: T", i - 1, "(), b: T", i - 1, "()}}");
  });
  EXPECT_THAT(Build(modules, "T40()"), StatusIs(kInvalidTree, testing::StartsWith("T40(): 100 problems")));
}

constexpr char kKnobs[] = R"yaml(modules:
  Root(channels, metric=0):
    attributes:
      plain: 3
      first: {value: 2, min: 0, max: channels - 4, help: the first of four}
      side: {value: 1, min: 0, max: 1, choices: [left, right], help: a side}
      gain: {value: 1.5, min: 0, max: 1e3, help: factor, when: metric}
)yaml";

TEST(KnobsTest, AreTheAttributesThatStateTheirRange) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kKnobs, "Root(24, metric=1)"));
  ASSERT_THAT(tree.root.attributes, SizeIs(4));
  EXPECT_EQ(tree.root.attributes[1].second, Value(int64_t{2}));
  ASSERT_THAT(tree.root.knobs, SizeIs(3));
  const Knob& first = tree.root.knobs[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_TRUE(first.is_integer);
  EXPECT_EQ(first.value, 2);
  EXPECT_EQ(first.min, 0);
  EXPECT_EQ(first.max, 20);
  EXPECT_EQ(first.help, "the first of four");
  EXPECT_THAT(first.choices, IsEmpty());
  EXPECT_THAT(tree.root.knobs[1].choices, ElementsAre("left", "right"));
  EXPECT_FALSE(tree.root.knobs[2].is_integer);
  EXPECT_EQ(tree.root.knobs[2].max, 1000);
}

TEST(KnobsTest, ExistOnlyWhereTheirConditionHolds) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kKnobs, "Root(24)"));
  EXPECT_THAT(tree.root.attributes, SizeIs(3));
  EXPECT_THAT(tree.root.knobs, SizeIs(2));
}

std::string KnobError(const std::string& knob) {
  return std::string(
      Build("modules:\n  Root(a=true):\n    attributes:\n      k: " + knob, "Root()").status().message());
}

TEST(KnobsTest, ValuesThatAreOutOfRangeOrNotNumbersAreErrors) {
  EXPECT_EQ(KnobError("{value: 5, min: 0, max: 4, help: h}"), "m.yaml:4:7: \"k\" wants a number from 0 to 4, has 5");
  EXPECT_EQ(KnobError("{value: -0.5, min: 0.0, max: 4.0, help: h}"),
            "m.yaml:4:7: \"k\" wants a number from 0.0 to 4.0, has -0.5");
  EXPECT_EQ(KnobError("{value: a, min: 0, max: 1, help: h}"), "m.yaml:4:7: \"k\" wants a number from 0 to 1, has true");
  EXPECT_EQ(KnobError("{value: 1, min: 0, help: h}"), "m.yaml:4:10: missing field \"max\" in \"k\"");
  EXPECT_THAT(KnobError("{value: 1, min: 0, max: 2, hint: h}"), HasSubstr("unknown field \"hint\" in \"k\""));
  for (const char* knob :
       {"{value: 1, min: 0, max: 2, choices: [a, b], help: h}", "{value: 1, min: 1, max: 2, choices: [a, b], help: h}",
        "{value: 0.5, min: 0.0, max: 1.0, choices: [a, b], help: h}"}) {
    EXPECT_EQ(KnobError(knob), "m.yaml:4:7: \"k\" has 2 choices: wants an integer from 0 to 1") << knob;
  }
}

TEST(CountParametersTest, LeavesOutBuffers) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build(kModules, "Net(4, 0, head=false)"));
  EXPECT_EQ(CountParameters(tree), 4 + (4 * 3 + 4) + (1 * 4 + 1));  // The token and two layers.
}

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

TEST(FindModuleTest, FindsModulesByTheirPaths) {
  auto library = std::make_shared<ModuleLibrary>();
  ASSERT_OK(library->AddFile({"modules.yaml", R"yaml(modules:
  Leaf(size, twice=2 * size): {constants: {size: size}}
  Net(dim, kind=Leaf):
    children:
      leaf: kind(dim)
      list: {module: ["Leaf(5)"]}
)yaml"},
                             "models/net/modules.yaml"));
  ASSERT_OK_AND_ASSIGN(const Call call, ParseCall("Net(3)"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(library, call));
  EXPECT_EQ(FindModule(tree, ""), &tree.root);
  EXPECT_EQ(tree.root.arguments, (Scope{{"dim", int64_t{3}}, {"kind", TypeName{"Leaf"}}}));
  ASSERT_NE(FindModule(tree, "leaf"), nullptr);
  EXPECT_EQ(FindModule(tree, "leaf")->arguments, (Scope{{"size", int64_t{3}}, {"twice", int64_t{6}}}));
  ASSERT_NE(FindModule(tree, "list.0"), nullptr);
  EXPECT_EQ(FindModule(tree, "list.0")->path, "list.0");
  for (const char* path : {"dim", "list.1", "leaf.size", "leaf.", "list..0"})
    EXPECT_EQ(FindModule(tree, path), nullptr);
}

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
