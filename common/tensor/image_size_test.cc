#include "common/tensor/image_size.h"

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ImageSizeTest, TheHeightComesFirst) {
  const absl::optional<ImageSize> size = ParseImageSize("518x924");
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->height, 518);
  EXPECT_EQ(size->width, 924);
  EXPECT_EQ(ImageSizeString(*size), "518x924");
}

TEST(ImageSizeTest, OtherTextsAreNoSize) {
  for (const absl::string_view text :
       {"", "518", "x", "518x", "x924", "518x924x3", "518X924", "518,924", " 518x924", "518x 924", "+518x924", "-14x14",
        "0x14", "14x0", "14.0x14", "14x8193", "4096x4097", "99999999999999999999x14"}) {
    EXPECT_FALSE(ParseImageSize(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseImageSize("8192x2048").has_value());
}

}  // namespace
}  // namespace modelport
