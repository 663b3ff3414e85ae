#include "tools/image/encode_png.h"

#include <cstring>

#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NotNull;

Image ReadBack(const std::string& bytes) {
  const std::string path = testing::TempDir() + "encoded.png";
  EXPECT_TRUE(OutputFile::WriteWhole(path, bytes).ok());
  auto read = ReadImage(path, 1000);
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? read->image : Image();
}

TEST(EncodePng, KeepsColours) {
  const std::vector<uint8_t> rgb = {1, 2, 3, 250, 251, 252};
  ASSERT_OK_AND_ASSIGN(const std::string file, EncodePng(2, 1, absl::MakeConstSpan(rgb), {{"Model", "depth_net"}}));
  EXPECT_THAT(file, HasSubstr(std::string("tEXtModel\0depth_net", 19)));
  const Image image = ReadBack(file);
  const auto* const bytes = std::get_if<std::vector<uint8_t>>(&image.pixels);
  ASSERT_THAT(bytes, NotNull());
  EXPECT_EQ(*bytes, rgb);
}

TEST(EncodePng, Keeps16Bits) {
  const std::vector<uint16_t> grey = {0, 65535, 258};
  ASSERT_OK_AND_ASSIGN(const std::string file, EncodePng(1, 3, absl::MakeConstSpan(grey), {}));
  const Image image = ReadBack(file);
  const auto* const floats = std::get_if<std::vector<float>>(&image.pixels);
  ASSERT_THAT(floats, NotNull());
  EXPECT_THAT(*floats, ElementsAre(0, 0, 0, 1, 1, 1, 258 / 65535.0f, 258 / 65535.0f, 258 / 65535.0f));
}

TEST(EncodePng, RefusesAWrongNumberOfElements) {
  const std::vector<uint8_t> rgb(5);
  EXPECT_THAT(EncodePng(2, 1, absl::MakeConstSpan(rgb), {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 x 1 pixels has 5")));
}

}  // namespace
}  // namespace modelport
