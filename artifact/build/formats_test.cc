#include "artifact/build/formats.h"

#include <string>

#include "common/manifest/manifest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// So that "m" and "m" with the ending have one manifest and one signature.
TEST(FormatsTest, TheEndingOfEachTargetsArtifactsIsKnown) {
  for (const Target* target : Targets()) {
    const std::string ending(FormatOf(*target).ending());
    EXPECT_THAT(kArtifactEndings, testing::Contains(absl::string_view(ending))) << target->name;
    EXPECT_EQ(WithoutArtifactEnding("out/m" + ending), "out/m") << target->name;
  }
}

}  // namespace
}  // namespace modelport
