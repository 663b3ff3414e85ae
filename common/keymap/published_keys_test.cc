#include "common/keymap/published_keys.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

// "key shape dtype" of each published key of a tree with the slots stem, twin and count.
std::vector<std::string> Published(const std::string& layouts) {
  ModuleTree tree;
  tree.slots = {{"stem", {2, 3}, false}, {"twin", {2, 3}, false}, {"count", {}, true, DType::kInt64}};
  const absl::StatusOr<KeyMap> key_map = ParseKeyMap({"keymap.yaml", layouts});
  EXPECT_OK(key_map);
  std::vector<std::string> texts;
  for (const SeededKey& key : PublishedKeys(*key_map, tree)) {
    texts.push_back(absl::StrCat(key.key, " ", ShapeString(key.shape), " ", DTypeName(key.dtype)));
  }
  return texts;
}

TEST(PublishedKeysTest, HaveThePrefixOfTheOriginalLayoutAndNoAliases) {
  EXPECT_THAT(Published(R"yaml(layouts:
  original:
    recognise: [stem]
    prefix: model.
    aliases: [{slot: twin, key: stem}]
)yaml"),
              ElementsAre("model.stem [2, 3] float32", "model.count [] int64"));
}

TEST(PublishedKeysTest, WithoutAnOriginalLayoutAreTheNamesOfTheSlots) {
  EXPECT_THAT(Published("layouts:\n  timm:\n    recognise: [stem]\n    prefix: model.\n"),
              ElementsAre("stem [2, 3] float32", "twin [2, 3] float32", "count [] int64"));
}

}  // namespace
}  // namespace modelport
