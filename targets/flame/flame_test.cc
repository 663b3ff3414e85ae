#include "targets/flame/flame.h"

#include <string>
#include <vector>

#include "common/manifest/manifest.pb.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using testing::HasSubstr;

Manifest MakeManifest(const std::string& kind, const std::vector<std::string>& in,
                      const std::vector<std::string>& out) {
  Manifest manifest;
  manifest.mutable_request()->set_model("m");
  manifest.set_title("Some Model");
  manifest.set_summary("what it is for");
  manifest.set_weights_licence("MIT");
  manifest.mutable_interface()->set_kind(kind);
  for (const std::string& channel : in) manifest.mutable_interface()->add_channels_in(channel);
  for (const std::string& channel : out) manifest.mutable_interface()->add_channels_out(channel);
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.add_inputs()->set_name("x");
  forward.mutable_inputs(0)->set_help("alpha takes the trimap");
  forward.add_outputs()->set_name(kind);
  forward.mutable_outputs(0)->set_unit("metres");
  return manifest;
}

nlohmann::json DescriptionOf(const Manifest& manifest) {
  const absl::StatusOr<std::vector<PackageFile>> files = FlameTarget().package(manifest, "");
  EXPECT_OK(files);
  EXPECT_EQ(files->size(), 1);
  EXPECT_EQ((*files)[0].name, "m.json");
  return nlohmann::json::parse((*files)[0].text)["ModelDescription"];
}

TEST(FlameTest, DepthIsOneChannelOfAResult) {
  const nlohmann::json description =
      DescriptionOf(MakeManifest("depth", {"rgba.red", "rgba.green", "rgba.blue"}, {"depth.Z"}));
  EXPECT_EQ(description["Name"], "Some Model");
  EXPECT_EQ(description["Padding"], 1);
  ASSERT_EQ(description["Inputs"].size(), 1);
  EXPECT_EQ(description["Inputs"][0]["Name"], "x");
  EXPECT_EQ(description["Inputs"][0]["Type"], "Front");
  EXPECT_EQ(description["Inputs"][0]["Channels"], "RGB");
  ASSERT_EQ(description["Outputs"].size(), 1);
  EXPECT_EQ(description["Outputs"][0]["Name"], "depth");
  EXPECT_EQ(description["Outputs"][0]["Type"], "Result");
  EXPECT_EQ(description["Outputs"][0]["Channels"], "A");
  EXPECT_THAT(std::string(description["Outputs"][0]["Description"]), HasSubstr("metres"));
}

TEST(FlameTest, AFourthChannelIsASecondSocketOfTheName) {
  const nlohmann::json description =
      DescriptionOf(MakeManifest("matte", {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"}, {"rgba.alpha"}));
  ASSERT_EQ(description["Inputs"].size(), 2);
  EXPECT_EQ(description["Inputs"][1]["Name"], "x");
  EXPECT_EQ(description["Inputs"][1]["Type"], "Matte");
  EXPECT_EQ(description["Inputs"][1]["Channels"], "A");
  EXPECT_EQ(description["Inputs"][1]["Description"], "alpha takes the trimap");
  EXPECT_EQ(description["Outputs"][0]["Type"], "OutMatte");
  const nlohmann::json depth =
      DescriptionOf(MakeManifest("depth", {"rgba.red", "rgba.green", "rgba.blue", "depth.Z"}, {"depth.Z"}));
  EXPECT_EQ(depth["Inputs"][1]["Type"], "Aux");
}

TEST(FlameTest, SeededWeightsAreSaid) {
  Manifest manifest = MakeManifest("depth", {"rgba.red", "rgba.green", "rgba.blue"}, {"depth.Z"});
  manifest.set_warning("seeded weights");
  EXPECT_THAT(std::string(DescriptionOf(manifest)["Description"]), HasSubstr("SEEDED"));
}

TEST(FlameTest, FourChannelsOfAnOutputHaveNoSocket) {
  const Manifest manifest = MakeManifest("features", {"rgba.red", "rgba.green", "rgba.blue"},
                                         {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"});
  EXPECT_THAT(FlameTarget().check(manifest),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("flame takes outputs of 1 to 3 channels")));
}

const std::vector<std::string>& TwoFrames() {
  static const auto* const channels =
      new std::vector<std::string>{"rgba.red", "rgba.green", "rgba.blue", "forward.u", "forward.v", "backward.u"};
  return *channels;
}

TEST(FlameTest, TheNextPictureIsTheBack) {
  Manifest manifest = MakeManifest("colour", TwoFrames(), {"rgba.red", "rgba.green", "rgba.blue"});
  for (const int frame : {0, 1}) manifest.mutable_interface()->add_frames(frame);
  EXPECT_OK(FlameTarget().check(manifest));
  const nlohmann::json inputs = DescriptionOf(manifest)["Inputs"];
  ASSERT_EQ(inputs.size(), 2);
  EXPECT_EQ(inputs[0]["Type"], "Front");
  EXPECT_EQ(inputs[1]["Type"], "Back");
  for (const nlohmann::json& input : inputs) {
    EXPECT_EQ(input["Name"], "x");
    EXPECT_EQ(input["Channels"], "RGB");
  }
}

TEST(FlameTest, OtherFramesHaveNoSockets) {
  Manifest manifest = MakeManifest("colour", TwoFrames(), {"rgba.red", "rgba.green", "rgba.blue"});
  for (const int frame : {0, -1}) manifest.mutable_interface()->add_frames(frame);
  EXPECT_THAT(FlameTarget().check(manifest),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("this one takes 2 pictures")));
}

TEST(FlameTest, ALargerImageHasItsScale) {
  const std::vector<std::string> rgb = {"rgba.red", "rgba.green", "rgba.blue"};
  Manifest manifest = MakeManifest("colour", rgb, rgb);
  manifest.mutable_interface()->set_scale(2);
  const nlohmann::json description = DescriptionOf(manifest);
  EXPECT_EQ(description["MinimumVersion"], "2025.2");
  EXPECT_EQ(description["SupportsSceneLinear"], false);
  EXPECT_EQ(description["Inputs"][0]["Gain"], 1.0);
  EXPECT_EQ(description["Outputs"][0]["InverseGain"], 1.0);
  EXPECT_EQ(description["Outputs"][0]["ScalingFactor"], 2.0);
  EXPECT_EQ(description["Outputs"][0]["Channels"], "RGB");
}

}  // namespace
}  // namespace modelport
