#include "tools/image/encode_exr.h"

#include <vector>

#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NotNull;

TEST(EncodeExr, KeepsValuesAndTexts) {
  const std::vector<float> values = {0.25f, 0.5f};
  ASSERT_OK_AND_ASSIGN(const std::string file, EncodeExr(1, 2, {{"Y", values}}, {{"modelport/model", "depth_nets"}}));
  EXPECT_THAT(file, AllOf(HasSubstr("modelport/model"), HasSubstr("depth_nets")));
  const std::string path = testing::TempDir() + "encoded.exr";
  ASSERT_OK(OutputFile::WriteWhole(path, file));
  ASSERT_OK_AND_ASSIGN(const auto read, ReadImage(path, 1000));
  const auto* const floats = std::get_if<std::vector<float>>(&read.image.pixels);
  ASSERT_THAT(floats, NotNull());
  const float first = LinearToSrgb(0.25f), second = LinearToSrgb(0.5f);
  EXPECT_THAT(*floats, ElementsAre(first, first, first, second, second, second));
}

TEST(EncodeExr, NamesLayersOfChannels) {
  const std::vector<float> values = {1};
  ASSERT_OK_AND_ASSIGN(const std::string file, EncodeExr(1, 1, {{"depth.Z", values}, {"conf.Y", values}}, {}));
  EXPECT_THAT(file, AllOf(HasSubstr("depth.Z"), HasSubstr("conf.Y")));
}

TEST(EncodeExr, LiesOnThePlate) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_OK_AND_ASSIGN(const std::string file,
                       EncodeExr(3, 2, {{"Y", values}}, {}, {.left = -5, .top = 7, .pixel_aspect = 2}));
  const std::string path = testing::TempDir() + "plate.exr";
  ASSERT_OK(OutputFile::WriteWhole(path, file));
  ExrContent read = ReadExr(path);
  EXPECT_EQ(read.left, -5);
  EXPECT_EQ(read.top, 7);
  EXPECT_EQ(read.pixel_aspect, 2);
  EXPECT_EQ(read.channels["Y"], values);
}

TEST(EncodeExr, RefusesAWrongNumberOfValues) {
  const std::vector<float> values = {1};
  EXPECT_THAT(EncodeExr(2, 2, {{"depth.Z", values}}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("channel depth.Z: wants 2 x 2 values, has 1")));
}

}  // namespace
}  // namespace modelport
