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
  bool has_numbers = true;
};

class DTypeTest : public testing::TestWithParam<DTypeCase> {};

TEST_P(DTypeTest, HasItsNameSizeAndKind) {
  const DTypeCase& expected = GetParam();
  EXPECT_EQ(DTypeName(expected.dtype), expected.name);
  EXPECT_EQ(ParseDType(expected.name), expected.dtype);
  EXPECT_EQ(ByteSize(expected.dtype), expected.byte_size);
  EXPECT_EQ(IsFloating(expected.dtype), expected.is_floating);
  EXPECT_EQ(HasNumbers(expected.dtype), expected.has_numbers);
}

INSTANTIATE_TEST_SUITE_P(
    All, DTypeTest,
    testing::Values(DTypeCase{DType::kFloat64, "float64", 8, true}, DTypeCase{DType::kFloat32, "float32", 4, true},
                    DTypeCase{DType::kFloat16, "float16", 2, true}, DTypeCase{DType::kBFloat16, "bfloat16", 2, true},
                    DTypeCase{DType::kInt64, "int64", 8, false}, DTypeCase{DType::kInt32, "int32", 4, false},
                    DTypeCase{DType::kInt16, "int16", 2, false}, DTypeCase{DType::kInt8, "int8", 1, false},
                    DTypeCase{DType::kUInt8, "uint8", 1, false}, DTypeCase{DType::kBool, "bool", 1, false},
                    DTypeCase{DType::kFloat8E4M3, "float8_e4m3fn", 1, true},
                    DTypeCase{DType::kFloat8E5M2, "float8_e5m2", 1, true},
                    DTypeCase{DType::kUInt16, "uint16", 2, false, false},
                    DTypeCase{DType::kUInt32, "uint32", 4, false, false},
                    DTypeCase{DType::kUInt64, "uint64", 8, false, false},
                    DTypeCase{DType::kComplex64, "complex64", 8, false, false},
                    DTypeCase{DType::kComplex128, "complex128", 16, false, false},
                    DTypeCase{DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", 1, false, false},
                    DTypeCase{DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", 1, false, false},
                    DTypeCase{DType::kFloat8E8M0, "float8_e8m0fnu", 1, false, false}),
    [](const auto& info) { return info.param.name; });

TEST(ParseDTypeTest, NamesAreThoseOfTorchAlone) {
  for (const char* name : {"", "float", "F32", "Float32", "qint8"}) EXPECT_EQ(ParseDType(name), absl::nullopt);
}

TEST(IsArtifactDTypeTest, IsThoseOfTheFlag) {
  for (const char* name : {"float32", "float16", "bfloat16"}) EXPECT_TRUE(IsArtifactDType(*ParseDType(name)));
  for (const char* name : {"float64", "float8_e5m2", "int8"}) EXPECT_FALSE(IsArtifactDType(*ParseDType(name)));
}

}  // namespace
}  // namespace modelport
