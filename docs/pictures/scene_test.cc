#include "docs/pictures/scene.h"

#include <cstdlib>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

TEST(Scene, IsTheCommittedPicture) {
  ASSERT_OK_AND_ASSIGN(const ReadImageResult committed, ReadImage("docs/pictures/scene.png", 1000000));
  const Picture picture(committed.image), drawn = DrawScene(picture.width(), picture.height());
  ASSERT_EQ(drawn.rgb().size(), picture.rgb().size());
  // Mathematical functions of another C library may round differently.
  for (size_t i = 0; i < drawn.rgb().size(); ++i) EXPECT_LE(std::abs(drawn.rgb()[i] - picture.rgb()[i]), 1) << i;
}

}  // namespace
}  // namespace modelport
