#include "targets/targets.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
