#include "common/tensor/number.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

// The bytes of `number` as an element, or none if the dtype has no such number.
std::string Written(const Number& number, DType dtype) {
  std::string element(ByteSize(dtype), '\x55');
  const std::string untouched = element;
  if (WriteNumber(number, dtype, element.data())) return element;
  EXPECT_EQ(element, untouched);
  return "";
}

template <typename T>
std::string Bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

constexpr DType kSmallFloats[] = {DType::kFloat16, DType::kBFloat16};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberTest, EveryFloatOf16BitsIsReadAndWrittenBack) {
  for (const DType dtype : kSmallFloats) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const std::string element = Bytes(static_cast<uint16_t>(bits));
      const Number number = ReadNumber(dtype, element.data());
      if (std::isnan(std::get<double>(number))) {
        EXPECT_TRUE(std::isnan(std::get<double>(ReadNumber(dtype, Written(number, dtype).data()))));
      } else {
        ASSERT_EQ(Written(number, dtype), element) << DTypeName(dtype) << " " << bits;
      }
    }
  }
}

TEST(NumberTest, FloatsOf16BitsAreRead) {
  const auto read = [](DType dtype, uint16_t bits) { return std::get<double>(ReadNumber(dtype, Bytes(bits).data())); };
  EXPECT_EQ(read(DType::kFloat16, 0x3c00), 1);
  EXPECT_EQ(read(DType::kFloat16, 0xfbff), -65504);
  EXPECT_EQ(read(DType::kFloat16, 1), std::ldexp(1, -24));
  EXPECT_EQ(read(DType::kFloat16, 0x7c00), kInfinity);
  EXPECT_EQ(read(DType::kBFloat16, 0x3f80), 1);
  EXPECT_EQ(read(DType::kBFloat16, 0xc049), -3.140625);
  EXPECT_EQ(read(DType::kBFloat16, 1), std::ldexp(1, -133));
}

TEST(NumberTest, FloatsOf8BitsAreReadOnly) {
  const auto read = [](DType dtype, uint8_t bits) { return std::get<double>(ReadNumber(dtype, Bytes(bits).data())); };
  EXPECT_EQ(read(DType::kFloat8E4M3, 0x38), 1);
  EXPECT_EQ(read(DType::kFloat8E4M3, 0xfe), -448);
  EXPECT_EQ(read(DType::kFloat8E4M3, 1), std::ldexp(1, -9));
  EXPECT_TRUE(std::isnan(read(DType::kFloat8E4M3, 0x7f)));
  EXPECT_EQ(read(DType::kFloat8E5M2, 0x3c), 1);
  EXPECT_EQ(read(DType::kFloat8E5M2, 0xfb), -57344);
  EXPECT_EQ(read(DType::kFloat8E5M2, 1), std::ldexp(1, -16));
  EXPECT_EQ(read(DType::kFloat8E5M2, 0x7c), kInfinity);
  for (const DType dtype : {DType::kFloat8E4M3, DType::kFloat8E5M2, DType::kComplex64, DType::kUInt16}) {
    EXPECT_EQ(Written(1.0, dtype), "") << DTypeName(dtype);
  }
}

// Between two neighbours, the one in the middle goes to the even one, and others to the nearer one.
TEST(NumberTest, FloatsOf16BitsAreRoundedToTheNearest) {
  for (const DType dtype : kSmallFloats) {
    const int last = dtype == DType::kFloat16 ? 0x7bff : 0x7f7f;
    for (int bits = 0; bits < last; ++bits) {
      const std::string low = Bytes(static_cast<uint16_t>(bits)), high = Bytes(static_cast<uint16_t>(bits + 1));
      const double a = std::get<double>(ReadNumber(dtype, low.data()));
      const double b = std::get<double>(ReadNumber(dtype, high.data()));
      const double middle = (a + b) / 2;
      ASSERT_EQ(Written(middle, dtype), bits % 2 == 0 ? low : high) << DTypeName(dtype) << " " << bits;
      ASSERT_EQ(Written(std::nextafter(middle, a), dtype), low) << DTypeName(dtype) << " " << bits;
      ASSERT_EQ(Written(std::nextafter(middle, b), dtype), high) << DTypeName(dtype) << " " << bits;
    }
  }
}

TEST(NumberTest, NumbersThatADTypeDoesNotHaveAreRefused) {
  struct Case {
    Number number;
    DType dtype;
  };
  for (const Case& c : std::vector<Case>{{65520.0, DType::kFloat16},
                                         {int64_t{-70000}, DType::kFloat16},
                                         {3.4e38 * 1.01, DType::kBFloat16},
                                         {1e39, DType::kFloat32},
                                         {int64_t{128}, DType::kInt8},
                                         {int64_t{-1}, DType::kUInt8},
                                         {int64_t{2}, DType::kBool},
                                         {int64_t{1} << 31, DType::kInt32},
                                         {40000.0, DType::kInt16},
                                         {0.5, DType::kInt64},
                                         {9223372036854775808.0, DType::kInt64},
                                         {std::nan(""), DType::kInt32},
                                         {kInfinity, DType::kBool}}) {
    EXPECT_EQ(Written(c.number, c.dtype), "") << NumberText(c.number) << " as " << DTypeName(c.dtype);
  }
}

TEST(NumberTest, OthersAreWritten) {
  EXPECT_EQ(Written(int64_t{-128}, DType::kInt8), Bytes(int8_t{-128}));
  EXPECT_EQ(Written(-128.0, DType::kInt8), Bytes(int8_t{-128}));
  EXPECT_EQ(Written(int64_t{255}, DType::kUInt8), "\xff");
  EXPECT_EQ(Written(1.0, DType::kBool), "\1");
  EXPECT_EQ(Written(std::numeric_limits<int64_t>::min(), DType::kInt64), Bytes(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(Written(0.1, DType::kFloat32), Bytes(0.1f));
  EXPECT_EQ(Written(int64_t{3}, DType::kFloat64), Bytes(3.0));
  EXPECT_EQ(Written(-kInfinity, DType::kFloat32), Bytes(-std::numeric_limits<float>::infinity()));
}

TEST(NumberTest, ANumberIsTheSameInEveryDTypeThatHoldsIt) {
  EXPECT_TRUE(IsSameNumber(int64_t{3}, 3.0));
  EXPECT_TRUE(IsSameNumber(3.0, int64_t{3}));
  EXPECT_TRUE(IsSameNumber(std::nan(""), -std::nan("")));
  EXPECT_FALSE(IsSameNumber(0.0, -0.0));
  EXPECT_FALSE(IsSameNumber(int64_t{0}, -0.0));
  EXPECT_FALSE(IsSameNumber((int64_t{1} << 53) + 1, std::ldexp(1, 53)));
  EXPECT_FALSE(IsSameNumber(int64_t{0}, std::nan("")));
  EXPECT_TRUE(HoldsExactly(DType::kFloat16, int64_t{2048}));
  EXPECT_FALSE(HoldsExactly(DType::kFloat16, int64_t{2049}));
  EXPECT_FALSE(HoldsExactly(DType::kFloat64, (int64_t{1} << 53) + 1));
  EXPECT_FALSE(HoldsExactly(DType::kFloat32, 0.1));
  EXPECT_FALSE(HoldsExactly(DType::kInt8, -0.0));
}

TEST(NumberTest, IsPrintedInFull) {
  EXPECT_EQ(NumberText(int64_t{-7}), "-7");
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(1e-6), "1e-06");
  EXPECT_EQ(NumberText(3.0), "3");
}

TEST(NumberTest, SeveralAreTheSameIfEachIs) {
  EXPECT_TRUE(AreSameNumbers({int64_t{3}, 0.5}, {3.0, 0.5}));
  EXPECT_FALSE(AreSameNumbers({int64_t{3}, 0.5}, {int64_t{3}}));
  EXPECT_FALSE(AreSameNumbers({int64_t{3}}, {int64_t{4}}));
  EXPECT_EQ(NumbersText({int64_t{3}, 0.5}), "3, 0.5");
}

}  // namespace
}  // namespace modelport
