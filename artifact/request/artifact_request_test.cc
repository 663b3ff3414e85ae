#include "artifact/request/artifact_request.h"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/plugin.h"
#include "registry/registry.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

class ArtifactRequestTest : public testing::Test {
 protected:
  ArtifactRequest Request(const std::string& model) const { return {.entry = registry_.Find(model).value()}; }

  const Registry registry_ = Registry::Load(BuiltInPlugins(), {}).value();
};

Manifest Stated(const ArtifactRequest& request) {
  Manifest manifest;
  *manifest.mutable_request() = StateRequest(request);
  return manifest;
}

// A change of a request, one for each of its fields that a manifest states.
using Change = std::function<void(ArtifactRequest&)>;

std::vector<Change> Changes() {
  return {
      [](ArtifactRequest& request) { request.runtime = *FindRuntime("1.12"); },
      [](ArtifactRequest& request) { request.dtype = DType::kFloat16; },
      [](ArtifactRequest& request) {
        request.outputs = {"depth", "sky"};
      },
      [](ArtifactRequest& request) { EXPECT_OK(SetSizes("H=28,W=42", request)); },
      [](ArtifactRequest& request) { request.method = "image_features"; },
      [](ArtifactRequest& request) { request.opset = 18; },
      [](ArtifactRequest& request) { request.external_data = true; },
      [](ArtifactRequest& request) { request.name = "near"; },
      [](ArtifactRequest& request) { request.licence_text = "Anybody\nmay \"use\" them.\n"; },
      [](ArtifactRequest& request) { EXPECT_OK(SetKnobs("convention=1,focal=35.5", request)); },
      [](ArtifactRequest& request) { EXPECT_OK(SetArguments("blocks=[1, 1, 1, 1]", request)); },
      [](ArtifactRequest& request) { request.with_preprocess = true; },
      // Nodes prepare images without being asked.
      [](ArtifactRequest& request) {
        request.target = *FindTarget("nuke");
        request.with_preprocess = false;
      },
      [](ArtifactRequest& request) {
        request.target = *FindTarget("nuke");
        request.with_preprocess = false;
        request.wrapper = "classes";
      },
  };
}

TEST_F(ArtifactRequestTest, AManifestTellsDifferentRequestsApart) {
  std::set<std::string> texts = {Stated(Request("resnet18")).ShortDebugString(),
                                 Stated(Request("resnet34")).ShortDebugString()};
  for (const Change& change : Changes()) {
    ArtifactRequest request = Request("resnet18");
    change(request);
    EXPECT_TRUE(texts.insert(Stated(request).ShortDebugString()).second) << Stated(request).ShortDebugString();
  }
  EXPECT_EQ(texts.size(), Changes().size() + 2);
}

TEST_F(ArtifactRequestTest, WhatAManifestStatesIsReadBack) {
  const std::vector<Change> changes = Changes();
  std::mt19937 random(0);
  for (int i = 0; i < 200; ++i) {
    ArtifactRequest request = Request("resnet18");
    for (const Change& change : changes) {
      if (random() % 2 == 0) change(request);
    }
    ASSERT_OK_AND_ASSIGN(const ArtifactRequest read, StatedRequest(registry_, Stated(request)));
    EXPECT_EQ(read.entry.plugin, request.entry.plugin);
    EXPECT_EQ(read.entry.variant->module.text, request.entry.variant->module.text);
    EXPECT_EQ(read.target, request.target);
    EXPECT_EQ(read.wrapper, request.wrapper);
    EXPECT_EQ(read.runtime, request.runtime);
    EXPECT_EQ(read.dtype, request.dtype);
    EXPECT_EQ(read.outputs, request.outputs);
    EXPECT_EQ(read.with_preprocess, request.with_preprocess);
    EXPECT_EQ(read.arguments, request.arguments);
    EXPECT_EQ(read.sizes, request.sizes);
    EXPECT_EQ(read.method, request.method);
    EXPECT_EQ(read.opset, request.opset);
    EXPECT_EQ(read.external_data, request.external_data);
    EXPECT_EQ(read.knobs, request.knobs);
    EXPECT_EQ(read.name, request.name);
    EXPECT_EQ(read.licence_text, request.licence_text);
    EXPECT_EQ(Stated(read).ShortDebugString(), Stated(request).ShortDebugString());
  }
}

TEST_F(ArtifactRequestTest, ArgumentsAreSetByNameInTheLanguageOfPlugins) {
  ArtifactRequest request = Request("dav2_metric_vkitti_vits");
  const Variant* const before = request.entry.variant;
  ASSERT_OK(SetArguments("max_depth=35,taps=[1, 3, 5, 7]", request));
  EXPECT_THAT(request.arguments, ElementsAre(Pair("max_depth", "35.0"), Pair("taps", "[1, 3, 5, 7]")));
  const Signature& signature = request.entry.plugin->library->Find(before->module.type)->signature;
  ASSERT_OK_AND_ASSIGN(const Scope scope, BindArguments(signature, request.entry.variant->module, Scope()));
  EXPECT_EQ(ValueString(scope.at("max_depth")), "35.0");
  EXPECT_EQ(ValueString(scope.at("taps")), "[1, 3, 5, 7]");
  EXPECT_EQ(ValueString(scope.at("dim")), "384");
  EXPECT_EQ(request.entry.variant->module.text,
            "DepthAnythingV2Metric(dim=384, depth=12, heads=6, taps=[1, 3, 5, 7], "
            "features=64, c1=48, c2=96, c3=192, c4=384, max_depth=35.0)");
  // A copy outlives the request.
  const ArtifactRequest copy = request;
  request = ArtifactRequest();
  EXPECT_EQ(copy.entry.variant->name, before->name);
}

TEST_F(ArtifactRequestTest, AnArgumentByPositionIsSet) {
  ArtifactRequest request = Request("resnet18");
  ASSERT_OK(SetArguments("blocks=[1, 1, 1, 1],block=Bottleneck", request));
  EXPECT_EQ(request.entry.variant->module.text, "ResNet(block=Bottleneck, blocks=[1, 1, 1, 1])");
}

TEST_F(ArtifactRequestTest, WhatCannotBeSetIsNamed) {
  const std::pair<absl::string_view, absl::string_view> cases[] = {
      {"max_dept=1", "--set=max_dept=1: dav2_metric_vkitti_vits has no argument \"max_dept\"; nearest: max_depth"},
      {"max_depth", "--set=max_depth: wants NAME=VALUE; dav2_metric_vkitti_vits has DepthAnythingV2Metric(dim=384,"},
      {"max_depth=[1]", "--set=max_depth=[1]: max_depth: wants a value as 80.0, has [1]"},
      {"max_depth=deep", "--set=max_depth=deep: max_depth: wants a value as 80.0, has deep"},
      {"dim=1.5", "--set=dim=1.5: dim: wants a value as 384, has 1.5"},
      {"heads=3,heads=4", "--set=heads=3,heads=4: heads is given twice"},
      {"max_depth=1,", "--set=max_depth=1,: column 17 of \"set(max_depth=1,)\": "},
      {"max_depth=", "--set=max_depth=: column 15 of \"set(max_depth=)\": "},
      {"max_depth=1)", "--set=max_depth=1): "},
      {"", "--set=: wants NAME=VALUE; "},
  };
  for (const auto& [setting, message] : cases) {
    ArtifactRequest request = Request("dav2_metric_vkitti_vits");
    EXPECT_THAT(SetArguments(setting, request),
                StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(std::string(message))));
  }
}

TEST_F(ArtifactRequestTest, AnArtifactIsNamedAfterItsModelAndItsWrapper) {
  ArtifactRequest request = Request("resnet50");
  EXPECT_EQ(NameOfArtifact(request).value(), "resnet50");
  request.name = "levels";
  EXPECT_EQ(NameOfArtifact(request).value(), "levels");
  request.target = *FindTarget("nuke");
  request.wrapper = "no_such";
  EXPECT_THAT(NameOfArtifact(request), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--wrapper=no_such")));
}

TEST_F(ArtifactRequestTest, AManifestStatesSeededWeights) {
  Manifest stated = Stated(Request("dav2_vits"));
  stated.mutable_weights()->set_seeded("seeded:v1:7");
  ASSERT_OK_AND_ASSIGN(const ArtifactRequest request, StatedRequest(registry_, stated));
  EXPECT_EQ(std::get<Seeded>(request.weights).seed, 7U);
}

TEST_F(ArtifactRequestTest, KnobsAreNumbersByNames) {
  ArtifactRequest request = Request("dav2_vits");
  ASSERT_OK(SetKnobs("convention=1,focal=35.5", request));
  EXPECT_THAT(request.knobs, ElementsAre(Pair("convention", 1), Pair("focal", 35.5)));
  for (const char* wrong : {"", "convention", "convention=\"a\"", "convention=1,convention=2"}) {
    ArtifactRequest other = Request("dav2_vits");
    EXPECT_THAT(SetKnobs(wrong, other), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("--knob="))) << wrong;
  }
}

TEST_F(ArtifactRequestTest, AManifestMayStateWhatThereIsNot) {
  Manifest stated;
  stated.mutable_request()->set_model("dav2_vits");
  stated.mutable_request()->set_target("libtorch");
  stated.mutable_request()->set_dtype("float7");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("float7")));
  stated.mutable_request()->set_dtype("float32");
  stated.mutable_request()->set_name("../depth");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("../depth")));
  stated.mutable_request()->clear_name();
  stated.mutable_request()->set_wrapper("depth");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--wrapper")));
  stated.mutable_request()->set_target("blender");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("blender")));
  stated.mutable_request()->set_model("dav2");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kNotFound, HasSubstr("dav2")));
}

}  // namespace
}  // namespace modelport
