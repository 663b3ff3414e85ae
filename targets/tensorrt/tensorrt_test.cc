#include "targets/tensorrt/tensorrt.h"

#include <limits>
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

Manifest MakeManifest(const std::vector<std::string>& shape) {
  Manifest manifest;
  manifest.mutable_request()->set_model("m");
  Manifest::Input& image = *manifest.add_entry_points()->add_inputs();
  image.set_name("x");
  for (const std::string& size : shape) image.add_shape(size);
  image.set_multiple_of(14);
  image.set_recommended_size(518);
  return manifest;
}

nlohmann::json ProfilesOf(const Manifest& manifest) {
  const absl::StatusOr<std::vector<PackageFile>> files = TensorRtTarget().package(manifest, "");
  EXPECT_OK(files);
  EXPECT_EQ((*files)[0].name, "m.profiles.json");
  return nlohmann::json::parse((*files)[0].text);
}

TEST(TensorRtTest, FreeSizesAreARange) {
  Manifest manifest = MakeManifest({"B", "3", "H", "W"});
  manifest.mutable_entry_points(0)->add_inputs()->set_name("time");  // A number.
  const nlohmann::json profiles = ProfilesOf(manifest);
  EXPECT_EQ(profiles["inputs"]["x"]["min"], nlohmann::json({1, 3, 126, 126}));
  EXPECT_EQ(profiles["inputs"]["x"]["opt"], nlohmann::json({1, 3, 518, 518}));
  EXPECT_EQ(profiles["inputs"]["x"]["max"], nlohmann::json({4, 3, 1036, 1036}));
  EXPECT_EQ(profiles["inputs"]["time"]["opt"], nlohmann::json({1}));
  EXPECT_EQ(profiles["command"],
            "trtexec --onnx=m.onnx --saveEngine=m.engine --minShapes=x:1x3x126x126,time:1 "
            "--optShapes=x:1x3x518x518,time:1 --maxShapes=x:4x3x1036x1036,time:1");
}

// trtexec takes the values of an input that decides sizes where others have shapes.
TEST(TensorRtTest, ANumberThatDecidesSizesHasItsValues) {
  Manifest manifest = MakeManifest({"B", "3", "H", "W"});
  Manifest::Input& tokens = *manifest.mutable_entry_points(0)->add_inputs();
  tokens.set_name("tokens");
  tokens.set_type("int");
  const auto is_refused =
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("wants the least and the largest tokens"));
  EXPECT_THAT(TensorRtTarget().check(manifest), is_refused);
  tokens.set_min(3601);
  tokens.set_max(3600);
  EXPECT_THAT(TensorRtTarget().check(manifest), is_refused);
  tokens.set_min(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(TensorRtTarget().check(manifest), is_refused);
  tokens.set_min(1);
  tokens.set_max(3600);
  const nlohmann::json inputs = ProfilesOf(manifest)["inputs"];
  EXPECT_EQ(inputs["tokens"]["min"], nlohmann::json({1}));
  EXPECT_EQ(inputs["tokens"]["opt"], nlohmann::json({3600}));
  EXPECT_EQ(inputs["tokens"]["max"], nlohmann::json({3600}));
}

TEST(TensorRtTest, AFileOfOneSizeNeedsNoProfile) {
  const Manifest manifest = MakeManifest({"1", "3", "28", "42"});
  EXPECT_EQ(ProfilesOf(manifest)["command"], "trtexec --onnx=m.onnx --saveEngine=m.engine");
  EXPECT_THAT(
      TensorRtTarget().next_step("engines/m", manifest),
      AllOf(HasSubstr("\n  trtexec --onnx=m.onnx --saveEngine=m.engine\n"), HasSubstr("engines/m.profiles.json")));
}

TEST(TensorRtTest, SizesOfOtherLettersHaveToBeFixed) {
  EXPECT_THAT(TensorRtTarget().check(MakeManifest({"B", "N", "3", "H", "W"})),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("wants the size N of x, [B, N, 3, H, W]: add --sizes=N=NUMBER")));
}

}  // namespace
}  // namespace modelport
