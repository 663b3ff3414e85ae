// sbom_test VERSION SBOM LICENCE...: the bill of materials has every library whose licence is in a release, and nothing
// that differs between two builds.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::vector<std::string> arguments;

std::string Text() {
  std::ifstream file(arguments[1]);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SbomTest, ListsLibTorchAndEveryPackageWhoseLicenceIsInARelease) {
  std::set<std::string> names, packages = {"torch"};
  const auto bom = nlohmann::json::parse(Text());
  for (const auto& component : bom["components"]) {
    names.insert(component["name"]);
    if (component["name"] == "torch") continue;
    EXPECT_THAT(component["purl"], MatchesRegex("pkg:deb/debian/[a-z0-9.%B-]+@[^+]+&upstream=[^+]+"));
    EXPECT_NE(component["version"], "");
  }
  for (size_t i = 2; i < arguments.size(); ++i) packages.insert(arguments[i].substr(arguments[i].rfind('/') + 1));
  EXPECT_GT(packages.size(), 15);
  EXPECT_THAT(names, ElementsAreArray(packages));
}

TEST(SbomTest, NamesTheRelease) {
  const auto bom = nlohmann::json::parse(Text());
  EXPECT_EQ(bom["bomFormat"], "CycloneDX");
  EXPECT_EQ(bom["metadata"]["component"]["name"], "modelport");
  EXPECT_EQ(bom["metadata"]["component"]["version"], arguments[0]);
  EXPECT_EQ(bom["dependencies"][0]["dependsOn"].size(), bom["components"].size());
}

TEST(SbomTest, HasNeitherTimeNorPlace) {
  EXPECT_THAT(Text(), Not(HasSubstr("timestamp")));
  EXPECT_THAT(Text(), Not(HasSubstr("serialNumber")));
  EXPECT_THAT(Text(), Not(HasSubstr("/home")));
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  arguments.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
