#include "common/tensor/dtype.h"

#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

struct DTypeCase {
  DType dtype;
  const char* name;
  int64_t byte_size;
  bool is_floating;
};

class DTypeTest : public testing::TestWithParam<DTypeCase> {};

TEST_P(DTypeTest, HasItsNameSizeAndKind) {
  const DTypeCase& expected = GetParam();
  EXPECT_EQ(DTypeName(expected.dtype), expected.name);
  EXPECT_EQ(ParseDType(expected.name), expected.dtype);
  EXPECT_EQ(ByteSize(expected.dtype), expected.byte_size);
  EXPECT_EQ(IsFloating(expected.dtype), expected.is_floating);
}

INSTANTIATE_TEST_SUITE_P(
    All, DTypeTest,
    testing::Values(DTypeCase{DType::kFloat64, "float64", 8, true}, DTypeCase{DType::kFloat32, "float32", 4, true},
                    DTypeCase{DType::kFloat16, "float16", 2, true}, DTypeCase{DType::kBFloat16, "bfloat16", 2, true},
                    DTypeCase{DType::kInt64, "int64", 8, false}, DTypeCase{DType::kInt32, "int32", 4, false},
                    DTypeCase{DType::kInt16, "int16", 2, false}, DTypeCase{DType::kInt8, "int8", 1, false},
                    DTypeCase{DType::kUInt8, "uint8", 1, false}, DTypeCase{DType::kBool, "bool", 1, false}),
    [](const auto& info) { return info.param.name; });

TEST(ParseDTypeTest, NamesAreThoseOfTorchAlone) {
  for (const char* name : {"", "float", "F32", "Float32", "complex64"}) EXPECT_EQ(ParseDType(name), absl::nullopt);
}

}  // namespace
}  // namespace modelport
