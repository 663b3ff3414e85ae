#include "artifact/build/formats.h"

#include <map>
#include <string>

#include "common/manifest/manifest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// So that the artifacts of one name in two formats may lie in one folder.
TEST(FormatsTest, EachFormatsFilesHaveManifestsOfTheirOwn) {
  std::map<std::string, std::string> endings;  // By the manifest's path.
  for (const Target* target : Targets()) {
    const std::string ending(FormatOf(*target).ending());
    const std::string manifest = ManifestPath("out/m" + ending);
    EXPECT_EQ(endings.try_emplace(manifest, ending).first->second, ending) << target->name << ": " << manifest;
  }
}

}  // namespace
}  // namespace modelport
