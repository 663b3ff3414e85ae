#include "common/tensor/shape.h"

#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kHuge = int64_t{1} << 40;

TEST(ShapeTest, IsPrintedAsTorchPrintsIt) {
  EXPECT_EQ(ShapeString({3, 224, 224}), "[3, 224, 224]");
  EXPECT_EQ(ShapeString({}), "[]");
}

TEST(ElementCountTest, IsTheProductOfTheSizes) {
  EXPECT_EQ(ElementCount({2, 3, 4}), 24);
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount({2, 0, 4}), 0);
}

TEST(ElementCountTest, ANegativeSizeHasNone) {
  EXPECT_EQ(ElementCount({2, -1}), absl::nullopt);
  EXPECT_EQ(ElementCount({0, -1}), absl::nullopt);
}

TEST(ElementCountTest, AnOverflowHasNone) {
  EXPECT_EQ(ElementCount({kHuge, kHuge}), absl::nullopt);
  EXPECT_EQ(ElementCount({0, kHuge, kHuge}), absl::nullopt);
  EXPECT_EQ(ElementCount({kHuge, kHuge, 0}), absl::nullopt);
}

TEST(RowMajorStridesTest, TheLastDimensionIsDense) {
  EXPECT_THAT(RowMajorStrides({2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(RowMajorStrides({}), ElementsAre());
}

TEST(RowMajorStridesTest, ASizeOfZeroCountsAsOne) { EXPECT_THAT(RowMajorStrides({2, 0, 4}), ElementsAre(4, 4, 1)); }

TEST(NextIndexTest, VisitsEveryIndexOnceInRowMajorOrder) {
  std::vector<Shape> visited;
  Shape index(2, 0);
  do visited.push_back(index);
  while (NextIndex({2, 3}, &index));
  EXPECT_THAT(visited, ElementsAre(Shape{0, 0}, Shape{0, 1}, Shape{0, 2}, Shape{1, 0}, Shape{1, 1}, Shape{1, 2}));
  EXPECT_EQ(index, Shape({0, 0}));
}

TEST(NextIndexTest, AScalarHasOneIndex) {
  Shape index;
  EXPECT_FALSE(NextIndex({}, &index));
}

}  // namespace
}  // namespace modelport
