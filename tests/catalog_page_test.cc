// The rule catalog_page() makes a page and a JSON from proofs and from artifacts, in the order of its `proofs`.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/examples.h"
#include "tests/read_sources.h"

namespace modelport {
namespace {

using testing::HasSubstr;

TEST(CatalogPageTest, HoldsTheManifestsOfProofsAndArtifacts) {
  const nlohmann::json json = nlohmann::json::parse(ReadSource("tests/catalog_page/catalog.json"));
  ASSERT_EQ(json["models"].size(), 2);
  EXPECT_EQ(json["models"][0]["model"], ExampleModel("published features"));
  EXPECT_EQ(json["models"][1]["model"], ExampleModel("published features with registers"));
  const std::string page = ReadSource("tests/catalog_page/catalog.html");
  size_t place = 0;
  for (const auto& model : json["models"]) {
    EXPECT_EQ(model["round_trip"]["proven"], true);
    for (const std::string fact : {model["model"], model["artifact"]["sha256"], model["warning"]}) {
      ASSERT_THAT(page.substr(place), HasSubstr(fact));
      place = page.find(fact, place);
    }
  }
}

}  // namespace
}  // namespace modelport
