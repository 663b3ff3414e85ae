#include "targets/targets.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/manifest/manifest.pb.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(TargetsTest, HaveNamesAndKnownRuntimes) {
  std::vector<std::string> names;
  for (const Target* target : Targets()) {
    names.push_back(target->name);
    const std::string& runtime = target->newest_runtime;
    EXPECT_TRUE(runtime.empty() || FindRuntime(runtime).ok()) << target->name;
    EXPECT_EQ(target->wrappers == target->name, !target->channels.empty()) << target->name;
  }
  EXPECT_THAT(names, UnorderedElementsAre("libtorch", "nuke", "onnx", "tensorrt", "flame", "houdini", "unreal"));
}

TEST(TargetsTest, NamesTheHostsThatHavePackages) {
  for (const Target* target : Targets()) {
    if (target->package != nullptr) {
      EXPECT_OK(CheckHasPackages(*target));
    } else {
      EXPECT_THAT(CheckHasPackages(*target),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           "target " + target->name +
                               ": this host has no packages; hosts that have some: nuke, tensorrt, flame, houdini"));
    }
  }
}

TEST(TargetsTest, FlagsNameEachHost) {
  EXPECT_EQ(WrappingTargetFlags(), "--target=nuke or --target=flame or --target=houdini or --target=unreal");
  EXPECT_EQ(PackageFlagHint(),
            "--nuke=VERSION, the oldest Nuke that has to load the package, such as --nuke=14 or 15.1; "
            "--target=tensorrt; --target=flame; --target=houdini");
}

// Everything that people read of a host comes from its own folder.
TEST(TargetsTest, AHostTellsWhatPeopleReadOfIt) {
  for (const Target* target : Targets()) {
    EXPECT_FALSE(target->title.empty()) << target->name;
    EXPECT_EQ(target->example_releases.empty(), target->runtime_of == nullptr) << target->name;
    EXPECT_EQ(target->package_place.empty(), target->package == nullptr) << target->name;
    EXPECT_EQ(target->next_step == nullptr, target->package == nullptr) << target->name;
  }
}

TEST(FindTargetTest, AnUnknownNameGetsTheNearest) {
  ASSERT_OK_AND_ASSIGN(const Target* target, FindTarget("nuke"));
  EXPECT_EQ(target->name, "nuke");
  EXPECT_THAT(FindTarget("nuk"), StatusIs(absl::StatusCode::kInvalidArgument, "unknown target \"nuk\"; nearest: nuke"));
}

constexpr auto kUnfit = absl::StatusCode::kFailedPrecondition;

// A host that wraps models and asks for nothing of its own.
const Target& AnyHost() {
  static const auto* const target = new Target{.name = "host", .title = "The Host", .wrappers = "host"};
  return *target;
}

// The manifest of a depth model whose round trip saw an output of this shape.
Manifest DepthOf(const std::vector<int>& shape) {
  Manifest manifest;
  manifest.mutable_interface()->add_channels_out("depth.Z");
  Manifest::Output& output = *manifest.mutable_round_trip()->add_outputs();
  output.set_call("forward([1, 3, 28, 42])");
  for (const int size : shape) output.add_shape(size);
  return manifest;
}

TEST(CheckArtifactTest, AnImageOfTheWrappersChannelsPasses) {
  EXPECT_OK(CheckArtifact(AnyHost(), DepthOf({1, 1, 28, 42})));
  EXPECT_OK(CheckArtifact(AnyHost(), Manifest()));
}

TEST(CheckArtifactTest, OutputsOfAnotherShapeAreRefusedForEachHostOfWrappers) {
  EXPECT_THAT(
      CheckArtifact(AnyHost(), DepthOf({1, 1000})),
      StatusIs(kUnfit,
               "The Host wants an output of shape [batch, 1, height, width] for the wrapper's channels_out depth.Z; "
               "forward([1, 3, 28, 42]) has [1, 1000]"));
  const std::vector<std::vector<int>> shapes = {
      {}, {1, 28, 42}, {1, 5, 28, 42}, {1, 0, 28, 42}, {1, 1, 32, 64}, {2, 1, 28, 42}};
  for (const std::vector<int>& shape : shapes) {
    for (const Target* target : Targets()) {
      if (!target->wraps()) continue;
      EXPECT_THAT(CheckArtifact(*target, DepthOf(shape)), StatusIs(kUnfit, HasSubstr(" has ["))) << target->name;
    }
  }
  EXPECT_OK(CheckArtifact(Target{.name = "as it is", .title = "As It Is"}, DepthOf({1, 1000})));
}

TEST(CheckArtifactTest, AnOutputIsAsManyTimesLargerAsItsWrapperStates) {
  Manifest manifest = DepthOf({1, 1, 56, 84});
  manifest.mutable_interface()->set_scale(2);
  EXPECT_OK(CheckArtifact(AnyHost(), manifest));
  manifest.mutable_interface()->set_scale(4);
  EXPECT_THAT(CheckArtifact(AnyHost(), manifest), StatusIs(kUnfit, HasSubstr("[batch, 1, 4 * height, 4 * width]")));
}

TEST(CheckArtifactTest, EveryOutputIsChecked) {
  Manifest manifest = DepthOf({1, 1, 28, 42});
  *manifest.mutable_round_trip()->add_outputs() = DepthOf({1, 2, 28, 42}).round_trip().outputs(0);
  EXPECT_THAT(CheckArtifact(AnyHost(), manifest), StatusIs(kUnfit, HasSubstr("has [1, 2, 28, 42]")));
}

TEST(CheckArtifactTest, WhatTheHostItselfRefusesIsRefused) {
  Target host = AnyHost();
  host.check = [](const Manifest&) -> absl::Status { return absl::FailedPreconditionError("not today"); };
  EXPECT_THAT(CheckArtifact(host, DepthOf({1, 1, 28, 42})), StatusIs(kUnfit, "not today"));
}

}  // namespace
}  // namespace modelport
