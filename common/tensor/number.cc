#include "common/tensor/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport {
namespace {

template <typename T>
T Load(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <typename T>
bool Store(T value, char* element) {
  std::memcpy(element, &value, sizeof(T));
  return true;
}

// Sign, 5 bits of exponent, 10 bits of fraction.
double FromFloat16(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// Sign, 4 bits of exponent, 3 bits of fraction; all ones are NaN, and there is no infinity.
double FromFloat8E4M3(uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  const double magnitude = (bits & 0x7f) == 0x7f ? std::nan("")
                           : exponent == 0       ? std::ldexp(fraction, -9)
                                                 : std::ldexp(fraction + 8, exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// The upper half of a float16.
double FromFloat8E5M2(uint8_t bits) { return FromFloat16(static_cast<uint16_t>(bits << 8)); }

// A bfloat16 is the upper half of a float32.
double FromBFloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// A floating dtype of 16 bits: `precision` bits of fraction, the leading 1 included; its least number is
// 2^min_exponent. Its bits are the sign, then the numbers in their order.
struct SmallFloat {
  int precision;
  int min_exponent;
  uint16_t infinity;
};

constexpr SmallFloat kFloat16 = {11, -24, 0x7c00};
constexpr SmallFloat kBFloat16 = {8, -133, 0x7f80};

// The bits of the number that is nearest to `value`.
uint16_t RoundTo(const SmallFloat& format, double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return sign | format.infinity | 1 << (format.precision - 2);
  if (std::isinf(value)) return sign | format.infinity;
  if (magnitude == 0) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - format.precision, format.min_exponent);
  // Steps of 2^unit. The numbers of each power of two go on where those of the one before end, so that a carry is
  // right.
  const int64_t steps = std::llrint(std::ldexp(magnitude, -unit));
  const int64_t bits = ((int64_t{unit} - format.min_exponent) << (format.precision - 1)) + steps;
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, format.infinity));
}

bool StoreFloat(DType dtype, double value, char* element) {
  switch (dtype) {
    case DType::kFloat64:
      return Store(value, element);
    case DType::kFloat32: {
      const float rounded = static_cast<float>(value);
      return (std::isfinite(rounded) || !std::isfinite(value)) && Store(rounded, element);
    }
    case DType::kFloat16:
    case DType::kBFloat16: {
      const SmallFloat& format = dtype == DType::kFloat16 ? kFloat16 : kBFloat16;
      const uint16_t bits = RoundTo(format, value);
      return ((bits & 0x7fff) != format.infinity || !std::isfinite(value)) && Store(bits, element);
    }
    default:
      return false;
  }
}

template <typename T>
bool StoreInteger(int64_t value, char* element) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
         Store(static_cast<T>(value), element);
}

bool StoreInteger(DType dtype, int64_t value, char* element) {
  switch (dtype) {
    case DType::kInt64:
      return Store(value, element);
    case DType::kInt32:
      return StoreInteger<int32_t>(value, element);
    case DType::kInt16:
      return StoreInteger<int16_t>(value, element);
    case DType::kInt8:
      return StoreInteger<int8_t>(value, element);
    case DType::kUInt8:
      return StoreInteger<uint8_t>(value, element);
    case DType::kBool:
      return (value == 0 || value == 1) && Store(static_cast<uint8_t>(value), element);
    default:
      return false;
  }
}

// True if `value` is an integer of 64 bits, which is written to `integer`.
bool IsInteger(double value, int64_t* integer) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!(value >= -kEnd && value < kEnd) || value != std::trunc(value)) return false;
  *integer = static_cast<int64_t>(value);
  return true;
}

}  // namespace

Number ReadNumber(DType dtype, const char* element) {
  switch (dtype) {
    case DType::kFloat64:
      return Load<double>(element);
    case DType::kFloat32:
      return double{Load<float>(element)};
    case DType::kFloat16:
      return FromFloat16(Load<uint16_t>(element));
    case DType::kBFloat16:
      return FromBFloat16(Load<uint16_t>(element));
    case DType::kFloat8E4M3:
      return FromFloat8E4M3(Load<uint8_t>(element));
    case DType::kFloat8E5M2:
      return FromFloat8E5M2(Load<uint8_t>(element));
    case DType::kInt64:
      return Load<int64_t>(element);
    case DType::kInt32:
      return int64_t{Load<int32_t>(element)};
    case DType::kInt16:
      return int64_t{Load<int16_t>(element)};
    case DType::kInt8:
      return int64_t{Load<int8_t>(element)};
    case DType::kUInt8:
      return int64_t{Load<uint8_t>(element)};
    case DType::kBool:
      return int64_t{Load<uint8_t>(element) != 0};
    default:
      return int64_t{0};
  }
}

bool WriteNumber(const Number& number, DType dtype, char* element) {
  const auto* const integer = std::get_if<int64_t>(&number);
  const auto* const real = std::get_if<double>(&number);
  if (IsFloating(dtype)) return StoreFloat(dtype, real != nullptr ? *real : static_cast<double>(*integer), element);
  if (integer != nullptr) return StoreInteger(dtype, *integer, element);
  int64_t whole;
  return IsInteger(*real, &whole) && StoreInteger(dtype, whole, element);
}

bool IsSameNumber(const Number& a, const Number& b) {
  const auto* const integer = std::get_if<int64_t>(&a);
  const auto* const real = std::get_if<double>(&b);
  if (real == nullptr) return integer != nullptr ? a == b : IsSameNumber(b, a);
  if (integer != nullptr) {
    int64_t whole;
    return IsInteger(*real, &whole) && whole == *integer && !(*real == 0 && std::signbit(*real));
  }
  const double other = *std::get_if<double>(&a);
  return (std::isnan(*real) && std::isnan(other)) || (*real == other && std::signbit(*real) == std::signbit(other));
}

bool HoldsExactly(DType dtype, const Number& number) {
  std::array<char, sizeof(int64_t)> element;
  return WriteNumber(number, dtype, element.data()) && IsSameNumber(ReadNumber(dtype, element.data()), number);
}

std::string NumberText(const Number& number) {
  if (const auto* integer = std::get_if<int64_t>(&number)) return absl::StrCat(*integer);
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), *std::get_if<double>(&number)).ptr};
}

bool AreSameNumbers(const std::vector<Number>& a, const std::vector<Number>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), IsSameNumber);
}

std::string NumbersText(const std::vector<Number>& numbers) {
  return absl::StrJoin(numbers, ", ",
                       [](std::string* text, const Number& number) { absl::StrAppend(text, NumberText(number)); });
}

}  // namespace modelport
