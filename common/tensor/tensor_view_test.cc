#include "common/tensor/tensor_view.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int16_t kZeroToFive[] = {0, 1, 2, 3, 4, 5};

std::vector<int16_t> Copied(const Shape& shape, const std::vector<int64_t>& strides, const void* data = kZeroToFive) {
  std::vector<int16_t> copy(*ElementCount(shape));
  CopyRowMajor({DType::kInt16, shape, strides, static_cast<const char*>(data)}, reinterpret_cast<char*>(copy.data()));
  return copy;
}

TEST(CopyRowMajorTest, CopiesRowMajorElementsInOneRun) {
  EXPECT_THAT(Copied({2, 3}, {3, 1}), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(CopyRowMajorTest, FollowsTheStrides) {
  EXPECT_THAT(Copied({3, 2}, {1, 3}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Copied({2, 2}, {4, 1}), ElementsAre(0, 1, 4, 5));
}

TEST(CopyRowMajorTest, AStrideOfZeroRepeatsTheElement) { EXPECT_THAT(Copied({2, 2}, {0, 1}), ElementsAre(0, 1, 0, 1)); }

TEST(CopyRowMajorTest, AScalarHasOneElement) { EXPECT_THAT(Copied({}, {}), ElementsAre(0)); }

TEST(CopyRowMajorTest, NothingIsReadOfAnEmptyTensor) { EXPECT_THAT(Copied({2, 0}, {7, 7}, nullptr), IsEmpty()); }

TEST(CopyRowMajorTest, TheElementsMayBeMisaligned) {
  std::string bytes(1 + sizeof(kZeroToFive), '\0');
  std::memcpy(bytes.data() + 1, kZeroToFive, sizeof(kZeroToFive));
  EXPECT_THAT(Copied({2, 3}, {3, 1}, bytes.data() + 1), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Copied({3, 2}, {1, 3}, bytes.data() + 1), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TensorViewTest, AlignmentIsThatOfTheDType) {
  alignas(8) const char bytes[16] = {};
  const auto is_aligned = [](DType dtype, const char* data) { return TensorView{dtype, {}, {}, data}.is_aligned(); };
  EXPECT_TRUE(is_aligned(DType::kFloat32, bytes + 4));
  EXPECT_FALSE(is_aligned(DType::kFloat64, bytes + 4));
  EXPECT_FALSE(is_aligned(DType::kFloat16, bytes + 1));
  EXPECT_TRUE(is_aligned(DType::kUInt8, bytes + 1));
}

}  // namespace
}  // namespace modelport
