#include "common/checkpoint/tensor_bounds.h"

#include <limits>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kFileBytes = 1000;

absl::Status Check(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, int64_t storage_bytes) {
  return CheckTensorBounds({"key", DType::kFloat32, shape, strides, offset, 0}, storage_bytes, kFileBytes);
}

TEST(TensorBoundsTest, AcceptsTensorsWithinTheStorage) {
  EXPECT_OK(Check({}, {}, 0, 4));
  EXPECT_OK(Check({2, 3}, {3, 1}, 0, 24));
  EXPECT_OK(Check({2, 3}, {1, 2}, 1, 28));
  EXPECT_OK(Check({250}, {0}, 0, 4));
  EXPECT_OK(Check({1, 2}, {kMax, 1}, 0, 8));
  EXPECT_OK(Check({0, 3}, {3, 1}, 2, 8));
}

TEST(TensorBoundsTest, RefusesTensorsThatReachBeyondIt) {
  struct Case {
    const char* defect;
    Shape shape;
    std::vector<int64_t> strides;
    int64_t offset;
    const char* message;
  };
  const Case cases[] = {
      {"one element too many", {25}, {1}, 0, "has 24 elements"},
      {"offset beyond the storage", {1}, {1}, 24, "reach beyond"},
      {"offset of an empty tensor beyond the storage", {0}, {1}, 25, "reach beyond"},
      {"stride beyond the storage", {2, 2}, {24, 1}, 0, "reach beyond"},
      {"negative offset", {1}, {1}, -1, "describe no tensor"},
      {"negative stride", {2}, {-1}, 1, "describe no tensor"},
      {"negative size", {-1}, {1}, 0, "describe no tensor"},
      {"fewer strides than sizes", {1, 1}, {1}, 0, "describe no tensor"},
      {"product of sizes overflows", {kMax, 2}, {0, 0}, 0, "describe no tensor"},
      {"product of size and stride overflows", {3}, {kMax}, 0, "reach beyond"},
      {"sum of spans overflows", {2, 2}, {kMax, kMax}, 0, "reach beyond"},
      {"offset and span overflow", {2}, {1}, kMax, "reach beyond"},
      {"expands beyond the file", {251}, {0}, 0, "expand to more bytes"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Check(c.shape, c.strides, c.offset, 96), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(c.message)))
        << c.defect;
  }
}

}  // namespace
}  // namespace modelport
