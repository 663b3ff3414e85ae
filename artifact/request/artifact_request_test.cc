#include "artifact/request/artifact_request.h"

#include <functional>
#include <set>
#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

class ArtifactRequestTest : public testing::Test {
 protected:
  ArtifactRequest Request(const std::string& model) const { return {.entry = registry_.Find(model).value()}; }

  const Registry registry_ = Registry::Load(BuiltInPlugins(), {}).value();
};

TEST_F(ArtifactRequestTest, TextsOfDifferentRequestsDiffer) {
  const std::function<void(ArtifactRequest&)> changes[] = {
      [](ArtifactRequest&) {},
      [this](ArtifactRequest& request) { request.entry = registry_.Find("dav2_vitb").value(); },
      [](ArtifactRequest& request) { request.target = *FindTarget("nuke"); },
      [](ArtifactRequest& request) { request.wrapper = "normals"; },
      [](ArtifactRequest& request) { request.runtime = *FindRuntime("1.12"); },
      [](ArtifactRequest& request) { request.dtype = DType::kFloat16; },
      [](ArtifactRequest& request) { request.outputs = {"depth"}; },
      [](ArtifactRequest& request) { request.with_preprocess = true; },
      [](ArtifactRequest& request) { request.weights = Seeded{1}; },
      [](ArtifactRequest& request) { request.weights = CheckpointFiles{{"a.pth"}}; },
      [](ArtifactRequest& request) {
        request.weights = CheckpointFiles{{"a.pth", {.layout = "original"}}};
      },
      [](ArtifactRequest& request) {
        request.weights = CheckpointFiles{{"a.pth", {.state_dict = ""}}};
      },
      [](ArtifactRequest& request) {
        request.weights = CheckpointFiles{{"a.pth"}, {"b.pth"}};
      },
  };
  std::set<std::string> texts;
  for (const auto& change : changes) {
    ArtifactRequest request = Request("dav2_vits");
    change(request);
    EXPECT_TRUE(texts.insert(RequestText(request)).second) << RequestText(request);
  }
}

TEST_F(ArtifactRequestTest, AnArtifactIsNamedAfterItsModelAndItsWrapper) {
  ArtifactRequest request = Request("resnet50");
  EXPECT_EQ(NameOfArtifact(request).value(), "resnet50");
  request.target = *FindTarget("nuke");
  request.wrapper = "no_such";
  EXPECT_THAT(NameOfArtifact(request), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--wrapper=no_such")));
}

TEST_F(ArtifactRequestTest, AManifestStatesWhatWasAskedFor) {
  Manifest stated;
  stated.set_model("dav2_vits");
  stated.set_target("nuke");
  stated.set_runtime("1.12");
  stated.set_dtype("float16");
  stated.set_source("seeded:v1:7");
  stated.mutable_preprocessing()->set_module("NukeDepth(mean=[0.5])");
  ASSERT_OK_AND_ASSIGN(const ArtifactRequest request, StatedRequest(registry_, stated));
  ArtifactRequest expected = Request("dav2_vits");
  expected.target = *FindTarget("nuke");
  expected.runtime = *FindRuntime("1.12");
  expected.dtype = DType::kFloat16;
  expected.weights = Seeded{7};
  EXPECT_EQ(RequestText(request), RequestText(expected));
}

TEST_F(ArtifactRequestTest, AManifestMayStateWhatThereIsNot) {
  Manifest stated;
  stated.set_model("dav2_vits");
  stated.set_target("libtorch");
  stated.set_dtype("float7");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("float7")));
  stated.set_dtype("float32");
  stated.set_wrapper("depth");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--wrapper")));
  stated.set_target("flame");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("flame")));
  stated.set_model("dav2");
  EXPECT_THAT(StatedRequest(registry_, stated), StatusIs(absl::StatusCode::kNotFound, HasSubstr("dav2")));
}

}  // namespace
}  // namespace modelport
