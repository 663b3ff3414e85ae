#include "common/torchscript/weights/weights.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ScalarTypeTest, HasTheSizeAndKindOfTheDType) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const DType dtype = static_cast<DType>(i);
    const at::ScalarType type = ToScalarType(dtype);
    EXPECT_EQ(c10::elementSize(type), static_cast<size_t>(ByteSize(dtype))) << DTypeName(dtype);
    EXPECT_EQ(c10::isFloatingType(type), IsFloating(dtype)) << DTypeName(dtype);
    EXPECT_EQ(type == at::kBool, dtype == DType::kBool);
  }
  EXPECT_EQ(ToScalarType(DType::kFloat16), at::kHalf);
  EXPECT_EQ(ToScalarType(DType::kUInt8), at::kByte);
}

}  // namespace
}  // namespace modelport
