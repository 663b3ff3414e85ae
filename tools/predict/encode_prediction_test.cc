#include <ATen/ops/tensor.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/image/colour_map.h"
#include "tools/predict/predict_images.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LoadedArtifact ArtifactOf(const std::string& unit) {
  LoadedArtifact artifact = {.path = "toy.pt", .module = torch::jit::Module("toy")};
  artifact.manifest.set_model("toy");
  Manifest::EntryPoint& forward = *artifact.manifest.add_entry_points();
  forward.set_method("forward");
  Manifest::Result& depth = *forward.add_outputs();
  depth.set_unit(unit);
  depth.set_larger_is("farther");
  return artifact;
}

Prediction DepthOf(const std::vector<float>& values) {
  return {.depth = at::tensor(values).reshape({1, static_cast<int64_t>(values.size())})};
}

TEST(LossesOf, DepthBeyondThe16BitsOfMetresIsSaid) {
  const LoadedArtifact metric = ArtifactOf("metres");
  EXPECT_THAT(LossesOf("d.png", DepthOf({872, 10, 900, 1000}), metric, {}),
              ElementsAre("depth outside 0 to 255.996 m is written as these, on 75.0 % of the pixels; --range=MIN,MAX "
                          "takes another scale, and .exr holds it"));
  EXPECT_THAT(LossesOf("d.png", DepthOf({10, 20}), metric, {}), IsEmpty());
  EXPECT_THAT(LossesOf("d.exr", DepthOf({872}), metric, {}), IsEmpty());
  EXPECT_THAT(LossesOf("d.png", DepthOf({872}), metric, {.range = ValueRange{0, 1000}}), IsEmpty());
  EXPECT_THAT(
      LossesOf("d.png", DepthOf({872, -1}), metric, {.range = ValueRange{0, 500}}),
      ElementsAre(HasSubstr("outside 0 to 500 m is written as these, on 100.0 % of the pixels; .exr holds it")));
}

TEST(LossesOf, ScalesOfSeveralFilesAreSaid) {
  const LoadedArtifact relative = ArtifactOf("");
  OutputStyle several = {.is_one_of_several = true};
  EXPECT_THAT(LossesOf("d.png", DepthOf({1, 2}), relative, several),
              ElementsAre(HasSubstr("--range=MIN,MAX gives all")));
  several.colours = DepthColours{*FindColourMap("grey")};
  EXPECT_THAT(LossesOf("d.png", DepthOf({1, 2}), ArtifactOf("metres"), several), ElementsAre(HasSubstr("its own")));
  several.range = ValueRange{0, 3};
  EXPECT_THAT(LossesOf("d.png", DepthOf({1, 2}), relative, several), IsEmpty());
  EXPECT_THAT(LossesOf("d.png", DepthOf({1, 2}), relative, {}), IsEmpty());
}

TEST(EncodePrediction, ARangeIsOfDepth) {
  const Prediction matte = {.alpha = at::tensor(std::vector<float>{1}).reshape({1, 1})};
  EXPECT_THAT(EncodePrediction("m.png", {}, matte, ArtifactOf(""), {.range = ValueRange{0, 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("toy gives no depth; leave out --range")));
}

}  // namespace
}  // namespace modelport
