#include "common/manifest/manifest_facts.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "common/status/status_matchers.h"
#include "common/tensor/image_size.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

Manifest Stating(const std::vector<uint32_t>& sides) {
  Manifest manifest;
  for (const uint32_t side : sides) manifest.add_static_shape(side);
  return manifest;
}

TEST(StaticShapeTest, IsTheStatedSize) {
  ASSERT_OK_AND_ASSIGN(const absl::optional<ImageSize> none, StaticShape(Stating({})));
  EXPECT_FALSE(none.has_value());
  ASSERT_OK_AND_ASSIGN(const absl::optional<ImageSize> size, StaticShape(Stating({518, 924})));
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->height, 518);
  EXPECT_EQ(size->width, 924);
}

TEST(StaticShapeTest, TheTextNamesTheSize) {
  EXPECT_EQ(StaticShapeText(Stating({})), "");
  EXPECT_EQ(StaticShapeText(Stating({518, 924})), "only of 518x924 pixels, height x width");
}

TEST(StaticShapeTest, NumbersThatAreNoSizeAreErrors) {
  for (const std::vector<uint32_t>& sides :
       std::vector<std::vector<uint32_t>>{{518}, {0, 14}, {14, 0}, {14, 14, 14}, {14, 4294967295}}) {
    EXPECT_THAT(StaticShape(Stating(sides)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("static_shape wants")));
  }
}

}  // namespace
}  // namespace modelport
