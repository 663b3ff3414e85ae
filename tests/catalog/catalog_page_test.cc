// The rule catalog_page() makes a page and a JSON from proofs and from artifacts, in the order of its `proofs`. Both
// have the output group `bom`.
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/house/read_sources.h"
#include "tests/support/examples.h"

namespace modelport {
namespace {

using testing::HasSubstr;

TEST(CatalogPageTest, HoldsTheManifestsOfProofsAndArtifacts) {
  const nlohmann::json json = nlohmann::json::parse(ReadSource("tests/catalog/catalog_page/catalog.json"));
  ASSERT_EQ(json["models"].size(), 2);
  EXPECT_EQ(json["models"][0]["request"]["model"], ExampleModel("published features"));
  EXPECT_EQ(json["models"][1]["request"]["model"], ExampleModel("published features with registers"));
  const std::string page = ReadSource("tests/catalog/catalog_page/catalog.html");
  size_t place = 0;
  for (const auto& model : json["models"]) {
    EXPECT_EQ(model["round_trip"]["proven"], true);
    for (const std::string fact : {model["request"]["model"], model["artifact"]["sha256"], model["warning"]}) {
      ASSERT_THAT(page.substr(place), HasSubstr(fact));
      place = page.find(fact, place);
    }
  }
}

TEST(CatalogPageTest, ProofsAndArtifactsHaveABillOfMaterials) {
  const nlohmann::json json = nlohmann::json::parse(ReadSource("tests/catalog/catalog_page/catalog.json"));
  const std::string folders[] = {"tests/catalog/catalog_page_proofs",
                                 "models/" + ExampleFamily("published features with registers")};
  ASSERT_EQ(json["models"].size(), std::size(folders));
  for (size_t i = 0; i < std::size(folders); ++i) {
    const nlohmann::json& model = json["models"].at(i);
    // The models' weights are seeded unless WORKSPACE binds them.
    const std::string ending = model["warning"] == "" ? ".cdx.json" : ".seeded.cdx.json";
    const std::string path = absl::StrCat(folders[i], "/", model["request"]["model"].get<std::string>(), ending);
    const nlohmann::json bill = nlohmann::json::parse(ReadSource(path));
    const nlohmann::json& artifact = bill["metadata"]["component"];
    EXPECT_EQ(artifact["hashes"][0]["content"], model["artifact"]["sha256"]) << path;
  }
}

}  // namespace
}  // namespace modelport
