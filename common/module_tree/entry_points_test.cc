// Entry points from the plugin's YAML to a tree.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kEntryPointModules[] = R"yaml(modules:
  Net(dim, patch=14, sky=0):
    entry_points:
      forward:
        inputs:
          - {name: x, shape: [B, 3, H, W], image: prepared, resize: shorter_side, size: 37 * patch}
          - {name: times, help: how often}
        outputs:
          - {name: depth, when: not sky, shape: [B, H // patch, dim], larger_is: nearer, min: 0}
          - {name: depth, when: sky, shape: [B, H // patch, dim], unit: metres, larger_is: farther, min: 0, max: 20.5}
          - {name: sky, when: sky, shape: [B], help: the sky}
  Pair():
    children: {net: "Net(2, sky=1)"}
    entry_points:
      forward: {outputs: [{name: depth, as: net.forward, help: of the pair}]}
  Wrapper():
    entry_points:
      forward:
        outputs: [{name: depth, as: model.forward, shape: [B, 1]}, {name: sky, as: model.forward}]
  Plain(): {constants: {a: 1}}
)yaml";

absl::StatusOr<ModuleTree> Build(const std::string& call, const std::string& modules = kEntryPointModules) {
  auto library = std::make_shared<ModuleLibrary>();
  const absl::Status added = library->AddFile({"m.yaml", modules});
  if (!added.ok()) return added;
  return BuildModuleTree(library, *ParseCall(call));
}

std::vector<std::string> Sizes(const Port& port) {
  std::vector<std::string> sizes;
  for (const Expression& size : *port.shape) sizes.push_back(size.text());
  return sizes;
}

// What is said of kEntryPointModules with `to` in the place of `from`.
std::string Problem(const std::string& from, const std::string& to, const std::string& call = "Net(8)") {
  return std::string(Build(call, absl::StrReplaceAll(kEntryPointModules, {{from, to}})).status().message());
}

TEST(EntryPointsTest, ShapesKeepTheirSymbolsOnly) {
  EXPECT_THAT(SchemaErrors({"m.yaml", kEntryPointModules}), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build("Net(8)"));
  ASSERT_THAT(tree.entry_points, SizeIs(1));
  const EntryPoint& forward = tree.entry_points[0];
  EXPECT_EQ(forward.method, "forward");
  ASSERT_THAT(forward.inputs, SizeIs(2));
  EXPECT_THAT(Sizes(forward.inputs[0]), ElementsAre("B", "3", "H", "W"));
  EXPECT_THAT(InputSymbols(forward), ElementsAre("B", "H", "W"));
  EXPECT_EQ(forward.inputs[0].image, "prepared");
  EXPECT_EQ(forward.inputs[0].resize, "shorter_side");
  EXPECT_EQ(forward.inputs[0].size, 518);
  EXPECT_FALSE(forward.inputs[1].shape.has_value());
  EXPECT_EQ(forward.inputs[1].help, "how often");
  ASSERT_THAT(forward.outputs, SizeIs(1));
  EXPECT_THAT(Sizes(forward.outputs[0]), ElementsAre("B", "H // 14", "8"));
  EXPECT_EQ(forward.outputs[0].larger_is, "nearer");
  EXPECT_EQ(forward.outputs[0].place, "m.yaml:9:13");
}

TEST(EntryPointsTest, AConditionChoosesTheOutputs) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build("Net(8, sky=1)"));
  const std::vector<Port>& outputs = tree.entry_points[0].outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_EQ(outputs[0].unit, "metres");
  EXPECT_EQ(outputs[0].max, 20.5);
  EXPECT_EQ(outputs[1].name, "sky");
}

TEST(EntryPointsTest, AsTakesWhatIsNotStated) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Build("Pair()"));
  const std::vector<Port>& outputs = tree.entry_points[0].outputs;
  ASSERT_THAT(outputs, SizeIs(1));
  EXPECT_THAT(Sizes(outputs[0]), ElementsAre("B", "H // 14", "2"));
  EXPECT_EQ(outputs[0].unit, "metres");
  EXPECT_EQ(outputs[0].help, "of the pair");
}

TEST(EntryPointsTest, AWrapperTakesFromItsModel) {
  for (const char* call : {"Net(8)", "Net(8, sky=1)", "Plain()"}) {
    ASSERT_OK_AND_ASSIGN(const ModuleTree model, Build(call));
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, WrapTree(model, *ParseCall("Wrapper()"), {}, *ParseCall(call)));
    const std::vector<Port>& outputs = tree.entry_points[0].outputs;
    EXPECT_THAT(Sizes(outputs[0]), ElementsAre("B", "1"));
    const std::string larger_is = model.entry_points.empty() ? "" : model.entry_points[0].outputs[0].larger_is;
    EXPECT_EQ(outputs[0].larger_is, larger_is);
    EXPECT_EQ(FindPort(outputs, "sky") != nullptr, std::string(call) != "Net(8)");
  }
}

TEST(EntryPointsTest, WhatIsWrongIsAProblemWithItsLine) {
  EXPECT_THAT(Problem("as: net.forward", "as: none.forward", "Pair()"),
              HasSubstr("m.yaml:15:27: field \"as\": Pair has no child \"none\" that is a module"));
  EXPECT_THAT(Problem("as: net.forward", "as: net.forwards", "Pair()"),
              HasSubstr("m.yaml:15:27: entry point forwards of Net has no \"depth\", which `as` names"));
  EXPECT_THAT(Problem("when: not sky, ", ""), "");
  EXPECT_THAT(Problem("when: not sky, ", "", "Net(8, sky=1)"), HasSubstr("m.yaml:10:13: second \"depth\""));
  EXPECT_THAT(Problem("max: 20.5", "max: \"[1]\"", "Net(8, sky=1)"), HasSubstr("\"depth\" wants a number, has [1]"));
}

TEST(EntryPointsTest, WhatTheSchemaRefusesIsAProblem) {
  struct Case {
    std::string from, to, message;
  };
  for (const auto& [from, to, message] : std::vector<Case>{
           {"as: net.forward", "as: net", "m.yaml:15:45: field \"as\" wants CHILD.METHOD, such as model.forward"},
           {"larger_is: nearer", "larger_is: near", "field \"larger_is\" wants nearer or farther, has \"near\""},
           {"image: prepared", "image: raw", "field \"image\" wants prepared or unit or any, has \"raw\""},
           {"resize: shorter_side", "unit: metres", "unknown field \"unit\" in an item of field \"inputs\""},
           {"{name: times, help", "{help", "missing field \"name\" in an item of field \"inputs\""},
           {"[{name: depth, as: net.forward, help: of the pair}]", "[]", "field \"outputs\" wants at least one item"},
           {"[B, 1]", "[B, 1 +]", "m.yaml:19:63: column 4"}}) {
    EXPECT_THAT(Problem(from, to), HasSubstr(message));
    EXPECT_THAT(SchemaErrors({"m.yaml", absl::StrReplaceAll(kEntryPointModules, {{from, to}})}), Not(IsEmpty())) << to;
  }
}

}  // namespace
}  // namespace modelport
