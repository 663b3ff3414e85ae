#include "common/module_tree/module_library.h"

#include <string>

#include "common/module_tree/module_type.h"
#include "common/status/status_matchers.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ModuleLibraryTest, ReadsEveryFieldOfAModuleType) {
  const YamlFile file = {"m.yaml", R"yaml(
modules:
  Net(dim, depth, bias=1):
    upstream: net.py:Net
    parameters:
      weight: [dim, 4 * dim]
      bias: {shape: [dim], when: bias}
      scale: []
    buffers:
      mean: [3]
    constants: {taps: [1, dim], eps: 1e-6, mode: '"exact"'}
    attributes: {gain: 2.0}
    children:
      one: Net(dim, depth)
      maybe: {module: "Net(dim, 1)", when: bias}
      many:
        - Net(1, 1)
        - {repeat: depth, module: "Net(2, 2)"}
        - {repeat: 2, module: ["Net(1, 2)", "Net(2, 1)"]}
        - {repeat: 3, when: bias, modules: ["Net(1, 3)", {module: "Net(3, 1)", when: not bias}]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x
functions:
  - |
    def twice(x: Tensor) -> Tensor:
      return x + x
)yaml"};
  EXPECT_THAT(SchemaErrors(file), IsEmpty());
  ModuleLibrary library;
  ASSERT_OK(library.AddFile(file));
  const ModuleType* type = library.Find("Net");
  ASSERT_NE(type, nullptr);
  EXPECT_THAT(type->signature.argument_names(), ElementsAre("dim", "depth", "bias"));
  EXPECT_EQ(type->upstream, "net.py:Net");
  EXPECT_EQ(type->mark.line, 3);
  ASSERT_THAT(type->parameters, SizeIs(3));
  EXPECT_EQ(type->parameters[0].shape[1].text(), "4 * dim");
  EXPECT_EQ(type->parameters[1].when->text(), "bias");
  EXPECT_THAT(type->parameters[2].shape, SizeIs(0));
  EXPECT_EQ(type->buffers[0].name, "mean");
  ASSERT_THAT(type->constants, SizeIs(3));
  EXPECT_EQ(type->constants[0].value.text(), "[1, dim]");
  EXPECT_EQ(type->constants[2].value.text(), "\"exact\"");
  EXPECT_EQ(type->attributes[0].name, "gain");
  ASSERT_THAT(type->children, SizeIs(3));
  EXPECT_EQ(type->children[0].module.kind, ModuleEntry::Kind::kCall);
  EXPECT_EQ(type->children[1].when->text(), "bias");
  EXPECT_EQ(type->children[2].module.kind, ModuleEntry::Kind::kList);
  ASSERT_THAT(type->children[2].module.items, SizeIs(4));
  EXPECT_EQ(type->children[2].module.items[1].repeat->text(), "depth");
  EXPECT_EQ(type->children[2].module.items[2].items[1].call.text, "Net(2, 1)");
  const ModuleEntry& group = type->children[2].module.items[3];
  EXPECT_EQ(group.kind, ModuleEntry::Kind::kGroup);
  EXPECT_EQ(group.repeat->text(), "3");
  EXPECT_EQ(group.when->text(), "bias");
  ASSERT_THAT(group.items, SizeIs(2));
  EXPECT_EQ(group.items[1].when->text(), "not bias");
  EXPECT_EQ(type->methods.text, "def forward(self, x: Tensor) -> Tensor:\n  return x\n");
  EXPECT_EQ(type->methods.file, "m.yaml");
  EXPECT_EQ(type->methods.line, 22);
  ASSERT_THAT(library.functions(), SizeIs(1));
  EXPECT_EQ(library.functions()[0].line, 26);
}

struct ErrorCase {
  std::string name;
  std::string text;
  std::string error;
  std::string unseen = {};  // Why the schema takes the text; empty if it refuses the text too.
};

class ModulesFileErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ModulesFileErrorTest, IsReported) {
  ModuleLibrary library;
  EXPECT_THAT(library.AddFile({"m.yaml", GetParam().text}), StatusIs(kInvalid, GetParam().error));
  EXPECT_EQ(SchemaErrors({"m.yaml", GetParam().text}).empty(), !GetParam().unseen.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ModulesFileErrorTest,
    testing::Values(
        ErrorCase{"UnknownTopLevelField", "module:\n  F(): {}\n",
                  "m.yaml:1:1: unknown field \"module\" in a modules file; nearest: modules"},
        ErrorCase{"UnknownField", "modules:\n  F():\n    paramaters: {}\n",
                  "m.yaml:3:5: unknown field \"paramaters\" in F; nearest: parameters"},
        ErrorCase{"NoSignature", "modules:\n  F:\n    parameters: {}\n",
                  "m.yaml:2:3: column 2 of \"F\": wants \"(\", has nothing"},
        ErrorCase{"BadShape", "modules:\n  F(a):\n    parameters: {w: [a +]}\n",
                  "m.yaml:3:22: column 4 of \"a +\": wants a value, has nothing"},
        ErrorCase{"ShapeIsText", "modules:\n  F(a):\n    parameters: {w: a}\n",
                  "m.yaml:3:21: the shape of \"w\" wants a list, has \"a\""},
        ErrorCase{"ShapeIsMissing", "modules:\n  F(a):\n    parameters: {w: {when: a}}\n",
                  "m.yaml:3:21: missing field \"shape\" in \"w\""},
        ErrorCase{"UnknownDType", "modules:\n  F(a):\n    buffers: {w: {shape: [a], dtype: long}}\n",
                  "m.yaml:3:38: field \"dtype\" wants int64, int32, int16, int8, uint8 or bool, has \"long\""},
        ErrorCase{"FloatingDType", "modules:\n  F(a):\n    buffers: {w: {shape: [a], dtype: float32}}\n",
                  "m.yaml:3:38: field \"dtype\" wants int64, int32, int16, int8, uint8 or bool, has "
                  "\"float32\"; floating buffers need none"},
        ErrorCase{"DTypeOfAParameter", "modules:\n  F(a):\n    parameters: {w: {shape: [a], dtype: int64}}\n",
                  "m.yaml:3:34: unknown field \"dtype\" in \"w\"; known: shape, when, positions"},
        ErrorCase{"MemberThatEveryModuleHas", "modules:\n  F(a):\n    attributes: {training: a}\n",
                  "m.yaml:3:18: every module has a member \"training\" already; use another name"},
        ErrorCase{"BadCall", "modules:\n  F(a):\n    children: {c: Linear}\n",
                  "m.yaml:3:19: column 7 of \"Linear\": wants \"(\", has nothing"},
        ErrorCase{"UnquotedCallInBraces", "modules:\n  F(a):\n    children: {c: Linear(a, a)}\n",
                  "m.yaml:3:19: quote the call \"Linear(a, ...\": in braces and brackets a comma ends text "
                  "without quotes"},
        ErrorCase{"RepeatOutsideAList", "modules:\n  F(a):\n    children: {c: {module: F(a), repeat: 2}}\n",
                  "m.yaml:3:34: unknown field \"repeat\" in child \"c\"; known: module, when, otherwise"},
        ErrorCase{"OtherwiseWithoutACondition",
                  "modules:\n  F(a):\n    children: {c: {module: F(a), otherwise: [F(a)]}}\n",
                  "m.yaml:3:45: \"otherwise\" of child \"c\" wants a \"when\""},
        ErrorCase{"GroupOutsideAList", "modules:\n  F(a):\n    children: {c: {modules: [F(a)]}}\n",
                  "m.yaml: 2 problems\n"
                  "  m.yaml:3:19: missing field \"module\" in child \"c\"\n"
                  "  m.yaml:3:20: unknown field \"modules\" in child \"c\"; nearest: module"},
        ErrorCase{"ModuleAndGroup", "modules:\n  F(a):\n    children: {c: [{module: F(a), modules: [F(a)]}]}\n",
                  "m.yaml:3:20: an item of child \"c\" wants one of \"module\" and \"modules\", has both"},
        ErrorCase{"GroupIsNoList", "modules:\n  F(a):\n    children: {c: [{repeat: a, modules: F(a)}]}\n",
                  "m.yaml:3:41: field \"modules\" of child \"c\" wants a list, has \"F(a)\""},
        ErrorCase{"UnknownFieldOfAnItem", "modules:\n  F(a):\n    children: {c: [{module: F(a), repeats: 2}]}\n",
                  "m.yaml:3:35: unknown field \"repeats\" in an item of child \"c\"; nearest: repeat"},
        ErrorCase{"ConditionOfAnItemIsFaulty", "modules:\n  F(a):\n    children: {c: [{module: F(a), when: a +}]}\n",
                  "m.yaml:3:41: column 4 of \"a +\": wants a value, has nothing"},
        ErrorCase{"DottedMember", "modules:\n  F(a):\n    parameters: {a.b: [1]}\n",
                  "m.yaml:3:18: \"a.b\" is not a valid name: it wants letters, digits and _, no digit first"},
        ErrorCase{"KeywordForAMember", "modules:\n  F(a):\n    children: {def: F(a)}\n",
                  "m.yaml:3:16: \"def\" is not a valid name: it is a Python keyword",
                  "the words of Python are not in the schema"},
        ErrorCase{"KeywordForAType", "modules:\n  class(a): {}\n",
                  "m.yaml:2:3: \"class\" is not a valid name: it is a Python keyword",
                  "the words of Python are not in the schema"},
        ErrorCase{"TwoMembersOfOneName",
                  "modules:\n  F(a):\n    parameters:\n      x: [1]\n    children:\n      x: F(a)\n",
                  "m.yaml:6:7: second member \"x\"; the first is on line 4", "a schema compares no names of two maps"},
        ErrorCase{"DuplicateField", "modules:\n  F(a):\n    parameters:\n      x: [1]\n      x: [2]\n",
                  "m.yaml:5:7: duplicate field \"x\"; the first is on line 4", "editors report that themselves"},
        ErrorCase{"MethodsAreNoBlock", "modules:\n  F(a):\n    methods: def forward(self)\n",
                  "m.yaml:3:14: field \"methods\" wants a block of text that begins with \"|\"",
                  "a schema sees text, not how it is written"},
        ErrorCase{"FoldedMethods", "modules:\n  F(a):\n    methods: >\n      def f(self):\n        pass\n",
                  "m.yaml:3:14: field \"methods\" wants a block of text that begins with \"|\"",
                  "a schema sees text, not how it is written"},
        ErrorCase{"SameTypeTwice", "modules:\n  F(a): {}\n  F(b): {}\n",
                  "m.yaml:3:3: module type F is already defined at m.yaml:2:3",
                  "a schema does not see that two signatures begin with one name"},
        ErrorCase{"EmptyFile", "", "m.yaml:1:1: a modules file wants a map, has nothing"}),
    [](const auto& info) { return info.param.name; });

TEST(ModuleLibraryTest, AllProblemsOfAFileAreReportedAtOnce) {
  ModuleLibrary library;
  const std::string text = R"yaml(modules:
  A(dim, dim):
    parameter: {}
  B(dim):
    buffers: {x: [1, 010]}
    methods: none
function: []
)yaml";
  EXPECT_THAT(SchemaErrors({"m.yaml", text}), Not(IsEmpty()));
  EXPECT_THAT(library.AddFile({"m.yaml", text}), StatusIs(kInvalid, R"yaml(m.yaml: 5 problems
  m.yaml:2:3: column 8 of "A(dim, dim)": wants a name that no other argument has, has "dim"
  m.yaml:3:5: unknown field "parameter" in A(dim, dim); nearest: parameters
  m.yaml:5:22: column 1 of "010": no valid number: 010
  m.yaml:6:14: field "methods" wants a block of text that begins with "|"
  m.yaml:7:1: unknown field "function" in a modules file; nearest: functions)yaml"));
}

TEST(ModuleLibraryTest, IncludedTypesAreSharedAndMayBeIncludedTwice) {
  ModuleLibrary layers, left, right, top;
  ASSERT_OK(layers.AddFile({"layers.yaml", "modules:\n  F(): {}\nfunctions:\n  - |\n    def f(): pass\n"}));
  ASSERT_OK(left.Include(layers));
  ASSERT_OK(right.Include(layers));
  ASSERT_OK(top.Include(left));
  ASSERT_OK(top.Include(right));
  EXPECT_EQ(top.Find("F"), layers.Find("F"));
  EXPECT_THAT(top.functions(), SizeIs(1));
  EXPECT_THAT(top.own_types(), SizeIs(0));
}

TEST(ModuleLibraryTest, TwoTypesOfOneNameAreReportedWithBothPlaces) {
  ModuleLibrary layers, other, top;
  ASSERT_OK(layers.AddFile({"layers.yaml", "modules:\n  F(): {}\n"}));
  ASSERT_OK(other.AddFile({"other.yaml", "modules:\n\n  F(): {}\n"}));
  ASSERT_OK(top.Include(layers));
  EXPECT_THAT(top.Include(other),
              StatusIs(kInvalid, "other.yaml:3:3: module type F is already defined at layers.yaml:2:3"));
  EXPECT_THAT(top.AddFile({"top.yaml", "modules:\n  F(a): {}\n"}),
              StatusIs(kInvalid, "top.yaml:2:3: module type F is already defined at layers.yaml:2:3"));
}

TEST(ModuleLibraryTest, MessagesGetThePathsOfFiles) {
  ModuleLibrary library;
  ASSERT_OK(
      library.AddFile({"plugins/toy/m.yaml", "modules:\n  Net():\n    methods: |\n      def f(self):\n        pass\n"},
                      "models/toy/m.yaml"));
  ASSERT_OK(
      library.AddFile({"models/toy/n.yaml", "functions:\n  - |\n    def g(x):\n      pass\n"}, "models/toy/n.yaml"));
  EXPECT_EQ(library.Find("Net")->methods.name, "models/toy/m.yaml");
  EXPECT_EQ(library.WithPaths("  File \"models/toy/m.yaml\", line 4\n  at models/toy/m.yaml:4, 2 modules"),
            "  File \"plugins/toy/m.yaml\", line 4\n  at plugins/toy/m.yaml:4, 2 modules");
  for (const char* same : {"/home/models/toy/m.yaml:4", "File \"models/toy/n.yaml\"", "models/toy/m.yaml"}) {
    EXPECT_EQ(library.WithPaths(same), same);
  }
}

}  // namespace
}  // namespace modelport
