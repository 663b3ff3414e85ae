#include "common/module_tree/keep_outputs.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr char kOutputModules[] = R"yaml(modules:
  Linear(inputs, outputs): {parameters: {weight: [outputs, inputs]}}
  Net(dim, normals=0, cameras=1, sure=1):
    children:
      stem: Linear(dim, dim)
      camera: {module: "Linear(dim, 9)", when: cameras}
      normal: {module: "Linear(dim, 3)", when: normals}
      depth: Linear(dim, 1)
    entry_points:
      forward:
        outputs:
          - {name: depth, shape: [B, H, W]}
          - {name: confidence, switched_by: sure, shape: [B, H, W]}
          - {name: pose, switched_by: cameras, shape: [B, 3, 4]}
          - {name: lens, switched_by: cameras, shape: [B, 3, 3]}
          - {name: normal, switched_by: normals, shape: [B, 3, H, W]}
          - {name: features, only_with: layers, shape: [B, dim]}
  Pair(dim, cameras=1):
    children: {net: "Net(dim, 0, cameras)"}
    entry_points:
      forward:
        outputs:
          - {name: depth, as: net.forward}
          - {name: confidence, as: net.forward}
          - {name: pose, switched_by: cameras, as: net.forward}
          - {name: lens, switched_by: cameras, as: net.forward}
  Plain(dim): {children: {stem: "Linear(dim, dim)"}}
)yaml";

absl::StatusOr<KeptOutputs> Keep(const std::string& call, const std::vector<std::string>& names,
                                 const std::string& modules = kOutputModules) {
  const auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"m.yaml", modules}));
  ASSIGN_OR_RETURN(const Call parsed, ParseCall(call));
  ASSIGN_OR_RETURN(ModuleTree model, BuildModuleTree(library, parsed));
  return KeepOutputs(std::make_shared<const ModuleTree>(std::move(model)), parsed, names);
}

absl::Status Error(const std::string& call, const std::vector<std::string>& names,
                   const std::string& modules = kOutputModules) {
  return Keep(call, names, modules).status();
}

// A module library whose text `from` is `to`.
std::string Altered(const std::string& from, const std::string& to) {
  EXPECT_THAT(kOutputModules, HasSubstr(from));
  return absl::StrReplaceAll(kOutputModules, {{from, to}});
}

std::vector<std::string> Slots(const ModuleTree& tree) {
  std::vector<std::string> names;
  for (const Slot& slot : tree.slots) names.push_back(slot.name);
  return names;
}

TEST(KeepOutputsTest, WhatOnlyTheOthersNeedIsLeftOut) {
  ASSERT_OK_AND_ASSIGN(const KeptOutputs kept, Keep("Net(4, normals=1)", {"depth"}));
  EXPECT_THAT(Slots(*kept.tree), ElementsAre("stem.weight", "depth.weight"));
  EXPECT_THAT(kept.left_out_slots, ElementsAre("camera.weight", "normal.weight"));
  EXPECT_THAT(kept.left_out, ElementsAre("confidence", "pose", "lens", "normal"));
}

// Each form of an argument: by position, by name, by default.
TEST(KeepOutputsTest, ArgumentsAreSwitchedOffHoweverTheyAreGiven) {
  for (const char* call : {"Net(4, 1, 1, 1)", "Net(4, normals=1, cameras=1)", "Net(4, normals=1)"}) {
    ASSERT_OK_AND_ASSIGN(const KeptOutputs kept, Keep(call, {"depth", "confidence", "normal"}));
    EXPECT_THAT(kept.left_out, ElementsAre("pose", "lens")) << call;
    EXPECT_THAT(Slots(*kept.tree), ElementsAre("stem.weight", "normal.weight", "depth.weight")) << call;
  }
}

// It costs nothing where no call asks for it.
TEST(KeepOutputsTest, AnOutputOnDemandStays) {
  ASSERT_OK_AND_ASSIGN(const KeptOutputs kept, Keep("Net(4)", {"confidence", "depth"}));
  EXPECT_THAT(kept.names, ElementsAre("depth", "confidence", "features"));
}

TEST(KeepOutputsTest, AllOutputsAreAsNone) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{},
                                                {"depth", "confidence", "pose", "lens"},
                                                {"features", "lens", "pose", "confidence", "depth"}}) {
    ASSERT_OK_AND_ASSIGN(const KeptOutputs kept, Keep("Net(4)", names));
    EXPECT_THAT(kept.names, IsEmpty());
    EXPECT_THAT(kept.left_out, IsEmpty());
    EXPECT_EQ(kept.tree->slots.size(), 3);
  }
}

TEST(KeepOutputsTest, AnUnknownNameIsNamedWithTheNearest) {
  EXPECT_THAT(Error("Net(4)", {"dept"}), StatusIs(kInvalid, HasSubstr("no output \"dept\"; nearest: depth")));
  // The model has no normals.
  EXPECT_THAT(Error("Net(4)", {"depth", "normal"}), StatusIs(kInvalid, HasSubstr("no output \"normal\"")));
  EXPECT_THAT(Error("Net(4)", {"depth", ""}), StatusIs(kInvalid, HasSubstr("no output \"\"")));
}

TEST(KeepOutputsTest, AnOutputWithoutASwitchCannotBeLeftOut) {
  EXPECT_THAT(Error("Net(4)", {"pose", "lens"}),
              StatusIs(kInvalid, HasSubstr("depth cannot be left out, so the list wants it, too; the outputs that can "
                                           "be left out are confidence, pose, lens")));
}

TEST(KeepOutputsTest, OutputsOfOneSwitchAreKeptTogether) {
  EXPECT_THAT(Error("Net(4)", {"depth", "pose"}), StatusIs(kInvalid, HasSubstr("wants all of pose, lens or none")));
}

TEST(KeepOutputsTest, ARootThatStatesNoOutputs) {
  EXPECT_THAT(Error("Plain(4)", {"depth"}), StatusIs(kInvalid, HasSubstr("Plain does not state what its forward")));
}

// The switch of a child's output is an argument of the child.
TEST(KeepOutputsTest, ARootSwitchesWhatItStatesItself) {
  ASSERT_OK_AND_ASSIGN(const KeptOutputs kept, Keep("Pair(4)", {"depth", "confidence"}));
  EXPECT_THAT(kept.left_out_slots, ElementsAre("net.camera.weight"));
  EXPECT_THAT(Error("Pair(4)", {"depth"}), StatusIs(kInvalid, HasSubstr("confidence cannot be left out")));
}

TEST(KeepOutputsTest, AnArgumentMayOnlyLeaveOut) {
  EXPECT_THAT(Error("Net(4)", {"depth"}, Altered("stem: Linear(dim, dim)", "stem: Linear(dim, dim + sure)")),
              StatusIs(kInvalid, HasSubstr("m.yaml:10:7: an argument that field \"switched_by\" names changes "
                                           "stem.weight where it is 0, and may only leave out")));
  EXPECT_THAT(Error("Net(4)", {"depth"}, Altered("when: normals", "when: not sure")),
              StatusIs(kInvalid, HasSubstr("adds or moves normal.weight")));
  EXPECT_THAT(Error("Net(4)", {"depth", "pose", "lens"}, Altered("{name: depth, ", "{name: depth, when: sure, ")),
              StatusIs(kInvalid, HasSubstr("changes other outputs")));
}

TEST(KeepOutputsTest, ASwitchIsAnArgument) {
  EXPECT_THAT(Error("Net(4)", {}, Altered("switched_by: sure", "switched_by: sured")),
              StatusIs(kInvalid, HasSubstr("unknown name \"sured\"; nearest: sure")));
  EXPECT_THAT(Error("Net(4)", {}, Altered("switched_by: sure", "switched_by: not sure")),
              StatusIs(kInvalid, HasSubstr("field \"switched_by\" wants the name of an argument, has \"not sure\"")));
}

}  // namespace
}  // namespace modelport
