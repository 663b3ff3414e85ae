#include "tools/diff/compare_tensors.h"

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using Kind = TensorComparison::Kind;

// A checkpoint with the bytes 0 to 5 as int8 tensors.
Checkpoint MakeCheckpoint(std::vector<CheckpointTensor> tensors) {
  auto bytes = std::make_shared<std::string>("\0\1\2\3\4\5", 6);
  Checkpoint::Contents contents;
  contents.storages.push_back({"0", *bytes, absl::nullopt});
  contents.state_dicts.push_back({"", std::move(tensors), {}});
  contents.files.push_back({"toy.pth", *bytes, bytes});
  return Checkpoint(std::move(contents));
}

std::vector<NamedTensor> TensorsOf(const Checkpoint& checkpoint) {
  std::vector<NamedTensor> tensors;
  for (const CheckpointTensor& tensor : checkpoint.state_dicts()[0].tensors) {
    tensors.push_back({tensor.key, Take{{checkpoint, &tensor}}});
  }
  return tensors;
}

TEST(CompareTensorsTest, ComparesByNameAndListsWhatOneSideLacks) {
  const Checkpoint a = MakeCheckpoint({{"same", DType::kInt8, {2, 3}, {3, 1}, 0, 0},
                                       {"only_a", DType::kInt8, {1}, {1}, 0, 0},
                                       {"shape", DType::kInt8, {2}, {1}, 0, 0},
                                       {"dtype", DType::kInt8, {2}, {1}, 0, 0},
                                       {"values", DType::kInt8, {2, 2}, {2, 1}, 0, 0}});
  const Checkpoint b = MakeCheckpoint({{"values", DType::kInt8, {2, 2}, {1, 2}, 0, 0},
                                       {"only_b", DType::kInt8, {1}, {1}, 0, 0},
                                       {"dtype", DType::kUInt8, {2}, {1}, 0, 0},
                                       {"shape", DType::kInt8, {1, 2}, {2, 1}, 0, 0},
                                       {"same", DType::kInt8, {2, 3}, {3, 1}, 0, 0}});
  int64_t bytes = 0;
  ASSERT_OK_AND_ASSIGN(const std::vector<TensorComparison> all,
                       CompareTensors(TensorsOf(a), TensorsOf(b), [&](int64_t done) { bytes += done; }));
  std::vector<std::string> names;
  std::vector<Kind> kinds;
  for (const TensorComparison& one : all) {
    names.push_back(one.name);
    kinds.push_back(one.kind());
  }
  EXPECT_THAT(names, ElementsAre("same", "only_a", "shape", "dtype", "values", "only_b"));
  EXPECT_THAT(kinds, ElementsAre(Kind::kEqual, Kind::kOnlyA, Kind::kShape, Kind::kDType, Kind::kValues, Kind::kOnlyB));
  EXPECT_EQ(bytes, 6 + 2 + 2 + 4);
  EXPECT_FALSE(all[2].values);
  EXPECT_TRUE(all[3].values->is_equal());
  // The second is the transpose of the first.
  EXPECT_EQ(all[4].values->equal, 2);
  EXPECT_EQ(all[4].values->max_abs, 1);
}

template <typename T>
TensorView View(DType dtype, const std::vector<T>& elements) {
  return {dtype, {static_cast<int64_t>(elements.size())}, {1}, reinterpret_cast<const char*>(elements.data())};
}

ElementDifference Compare(const std::vector<float>& a, const std::vector<float>& b) {
  return CompareElements(View(DType::kFloat32, a), View(DType::kFloat32, b));
}

TEST(CompareElementsTest, EqualTensorsHaveNoDifference) {
  const float nan = std::nanf("");
  const ElementDifference difference = Compare({1, nan, -2}, {1, nan, -2});
  EXPECT_TRUE(difference.is_equal());
  EXPECT_EQ(difference.elements, 3);
  EXPECT_EQ(difference.nonfinite, 0);
  EXPECT_EQ(difference.max_abs, 0);
  EXPECT_EQ(difference.cosine, 1);
  EXPECT_TRUE(Compare({}, {}).is_equal());
}

TEST(CompareElementsTest, StatesLargestAndMeanDifferenceAndAngle) {
  const ElementDifference difference = Compare({3, 4, 0, 0}, {4, 3, 0, 2});
  EXPECT_EQ(difference.equal, 1);
  EXPECT_EQ(difference.max_abs, 2);
  EXPECT_EQ(difference.mean_abs, 1);
  EXPECT_DOUBLE_EQ(difference.cosine, 24 / (5 * std::sqrt(29)));
}

TEST(CompareElementsTest, ZerosHaveNoAngle) {
  EXPECT_EQ(Compare({0, 0.f}, {-0.f, 0}).cosine, 1);
  EXPECT_EQ(Compare({0, 0.f}, {-0.f, 0}).equal, 1);
  EXPECT_EQ(Compare({0, 0}, {1, 0}).cosine, 0);
}

TEST(CompareElementsTest, NonfiniteElementsAreCountedApart) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const ElementDifference difference = Compare({inf, nan, 1, inf}, {inf, 1, nan, -inf});
  EXPECT_EQ(difference.equal, 1);
  EXPECT_EQ(difference.nonfinite, 3);
  EXPECT_EQ(difference.max_abs, 0);
  EXPECT_EQ(difference.mean_abs, 0);
}

TEST(CompareElementsTest, DTypesAreComparedByValue) {
  const std::vector<double> doubles = {1.5, -2, 0, HUGE_VAL, std::ldexp(1, -24), 65504};
  const std::vector<uint16_t> halves = {0x3e00, 0xc000, 0x8000, 0x7c00, 0x0001, 0x7bff};
  const std::vector<uint16_t> bfloats = {0x3fc0, 0xc000, 0x8000, 0x7f80, 0x3380, 0x477f};
  EXPECT_TRUE(CompareElements(View(DType::kFloat64, doubles), View(DType::kFloat16, halves)).is_equal());
  const ElementDifference difference = CompareElements(View(DType::kBFloat16, bfloats), View(DType::kFloat64, doubles));
  EXPECT_EQ(difference.equal, 5);
  EXPECT_EQ(difference.max_abs, 224);  // 0x477f is 65280.
  const std::vector<int8_t> bytes = {-1, 0, 1};
  const std::vector<int64_t> longs = {-1, 0, 2};
  EXPECT_EQ(CompareElements(View(DType::kInt8, bytes), View(DType::kInt64, longs)).equal, 2);
}

TEST(CompareElementsTest, LargeIntegersAreNotEqualToADoubleBesideThem) {
  const std::vector<int64_t> longs = {9007199254740993, 9007199254740992};
  const std::vector<double> doubles = {9007199254740992, 9007199254740992};
  EXPECT_EQ(CompareElements(View(DType::kInt64, longs), View(DType::kFloat64, doubles)).equal, 1);
}

// 127 is the code of 1 in float8_e8m0.
TEST(CompareElementsTest, CodesHaveNothingInCommonWithNumbers) {
  const std::vector<uint8_t> codes = {127, 255};
  const std::vector<float> floats = {127, 255};
  EXPECT_EQ(CompareElements(View(DType::kFloat8E8M0, codes), View(DType::kFloat32, floats)).equal, 0);
  EXPECT_EQ(CompareElements(View(DType::kFloat8E8M0, codes), View(DType::kFloat8E8M0, codes)).equal, 2);
}

TEST(CompareElementsTest, LargeIntegersAreEqualByTheirBits) {
  const int64_t large = int64_t{1} << 60;
  const std::vector<int64_t> a = {large, 1}, b = {large + 1, 1};
  EXPECT_EQ(CompareElements(View(DType::kInt64, a), View(DType::kInt64, b)).equal, 1);
}

TEST(CompareElementsTest, FloatsOf8BitsAreComparedByValue) {
  const std::vector<float> floats = {1, -2, 0.5};
  const std::vector<uint8_t> bytes = {0x38, 0xc0, 0x31};
  const ElementDifference difference = CompareElements(View(DType::kFloat8E4M3, bytes), View(DType::kFloat32, floats));
  EXPECT_EQ(difference.equal, 2);
  EXPECT_EQ(difference.max_abs, 0.0625);
}

TEST(CompareElementsTest, ThePartsOfComplexNumbersAreCompared) {
  const std::vector<std::complex<float>> a = {{1, 2}, {3, 4}}, b = {{1, 2}, {3, 6}};
  const ElementDifference difference = CompareElements(View(DType::kComplex64, a), View(DType::kComplex64, b));
  EXPECT_EQ(difference.elements, 4);
  EXPECT_EQ(difference.equal, 3);
  EXPECT_EQ(difference.max_abs, 2);
  const std::vector<float> reals = {1, 3};
  EXPECT_EQ(CompareElements(View(DType::kComplex64, a), View(DType::kFloat32, reals)).equal, 0);
}

TEST(CompareElementsTest, EveryBlockIsCompared) {
  std::vector<float> a(10000, 1), b(10000, 1);
  b[0] = 2;
  b[4096] = 3;
  b[9999] = 5;
  const ElementDifference difference = Compare(a, b);
  EXPECT_EQ(difference.equal, 9997);
  EXPECT_EQ(difference.max_abs, 4);
  EXPECT_DOUBLE_EQ(difference.mean_abs, 7e-4);
}

}  // namespace

}  // namespace modelport
