#include "targets/nuke/package_data.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr auto kUnfit = absl::StatusCode::kFailedPrecondition;

// The manifest of a depth model whose round trip saw an output of this shape.
Manifest DepthModel(const std::vector<int>& shape) {
  Manifest manifest;
  manifest.set_minimum_runtime("1.12");
  manifest.mutable_interface()->add_channels_out("depth.Z");
  Manifest::Output& output = *manifest.mutable_round_trip()->add_outputs();
  output.set_call("forward([1, 3, 28, 42])");
  for (const int size : shape) output.add_shape(size);
  return manifest;
}

TEST(CheckNukeUsesTest, AnImageOfTheWrappersChannelsPasses) { EXPECT_OK(CheckNukeUses(DepthModel({1, 1, 28, 42}))); }

TEST(CheckNukeUsesTest, AnArtifactWithoutARoundTripIsCheckedForItsRuntimeOnly) {
  Manifest manifest = DepthModel({1, 1, 28, 42});
  manifest.clear_round_trip();
  EXPECT_OK(CheckNukeUses(manifest));
  manifest.set_minimum_runtime("2.13");
  EXPECT_THAT(CheckNukeUses(manifest),
              StatusIs(kUnfit, HasSubstr("wants LibTorch 2.13, Nuke 17.0 has 2.7.1; pass --runtime=2.7")));
}

TEST(CheckNukeUsesTest, OutputsOfAnotherShapeAreRefused) {
  EXPECT_THAT(
      CheckNukeUses(DepthModel({1, 1000})),
      StatusIs(kUnfit,
               "Nuke wants an output of shape [batch, 1, height, width] for the wrapper's channels_out depth.Z; "
               "forward([1, 3, 28, 42]) has [1, 1000]"));
  const std::vector<std::vector<int>> shapes = {{}, {1, 28, 42}, {1, 5, 28, 42}, {1, 0, 28, 42}};
  for (const std::vector<int>& shape : shapes) {
    EXPECT_THAT(CheckNukeUses(DepthModel(shape)), StatusIs(kUnfit, HasSubstr(" has [")));
    EXPECT_THAT(NukePackageData(DepthModel(shape)).status(), StatusIs(kUnfit, HasSubstr(" has [")));
  }
}

TEST(CheckNukeUsesTest, EveryOutputIsChecked) {
  Manifest manifest = DepthModel({1, 1, 28, 42});
  *manifest.mutable_round_trip()->add_outputs() = DepthModel({1, 2, 28, 42}).round_trip().outputs(0);
  EXPECT_THAT(CheckNukeUses(manifest), StatusIs(kUnfit, HasSubstr("has [1, 2, 28, 42]")));
}

}  // namespace
}  // namespace modelport
