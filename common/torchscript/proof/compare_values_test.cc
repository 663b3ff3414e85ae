#include <ATen/TensorOperators.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/ops/_efficientzerotensor.h>
#include <ATen/ops/_nested_tensor_from_tensor_list.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/quantize_per_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "common/status/status_matchers.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

// The largest difference, or the error.
absl::StatusOr<double> MaxAbs(const c10::IValue& expected, const c10::IValue& actual) {
  const auto difference = CompareValues(expected, actual, "f()");
  if (!difference.ok()) return difference.status();
  return difference->max_abs;
}

void ExpectDifference(const c10::IValue& expected, const c10::IValue& actual, double max_abs) {
  ASSERT_OK_AND_ASSIGN(const double found, MaxAbs(expected, actual));
  EXPECT_EQ(found, max_abs);
}

template <typename Key>
c10::IValue Dictionary(const Key& key, const at::Tensor& value) {
  c10::Dict<Key, at::Tensor> dict;
  dict.insert(key, value);
  return dict;
}

TEST(CompareValuesTest, TensorsDifferByTheirLargestDifference) {
  const at::Tensor a = at::arange(10, at::kFloat);
  ExpectDifference(a, a.clone(), 0);
  ExpectDifference(a, a + 0.5, 0.5);
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(a, a + 0.9, "f()"));
  EXPECT_NEAR(difference.relative, 0.1, 1e-6);
  EXPECT_THAT(MaxAbs(a, a.to(at::kDouble)), StatusIs(kDataLoss, "f() wants Float [10], has Double [10]"));
  EXPECT_THAT(MaxAbs(a, a.reshape({2, 5})), StatusIs(kDataLoss, "f() wants Float [10], has Float [2, 5]"));
}

TEST(CompareValuesTest, IntegersThatDifferAreNeverEqual) {
  const int64_t large = int64_t{1} << 60;
  ExpectDifference(at::tensor({large}, at::kLong), at::tensor({large + 1}, at::kLong), 1);
  ExpectDifference(at::tensor({2, 7}, at::kLong), at::tensor({2, 9}, at::kLong), 2);
  ExpectDifference(at::zeros({2}, at::kBool), at::ones({2}, at::kBool), 1);
  EXPECT_THAT(MaxAbs(int64_t{3}, int64_t{4}), StatusIs(kDataLoss, "f() differs"));
}

TEST(CompareValuesTest, ComplexTensorsCompareInBothParts) {
  const at::Tensor real = at::ones({3}), imaginary = at::arange(3, at::kFloat);
  const at::Tensor a = at::complex(real, imaginary);
  ExpectDifference(a, at::complex(real, imaginary), 0);
  ExpectDifference(a, at::complex(real, imaginary + 2), 2);
  // A view that is conjugated when it is read compares by its conjugated values.
  ExpectDifference(a, at::complex(real, -imaginary).conj(), 0);
  ExpectDifference(a, a.conj(), 4);
}

TEST(CompareValuesTest, NanAndInfinityStandInTheSamePlaces) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const at::Tensor a = at::tensor({1.0f, nan, infinity});
  ExpectDifference(a, at::tensor({2.0f, nan, infinity}), 1);
  for (const at::Tensor& other :
       {at::tensor({1.0f, 2.0f, infinity}), at::tensor({1.0f, nan, 2.0f}), at::tensor({nan, nan, infinity}),
        at::tensor({1.0f, nan, -infinity}), at::tensor({1.0f, infinity, infinity}), at::tensor({1.0f, nan, nan})}) {
    EXPECT_THAT(MaxAbs(a, other), StatusIs(kDataLoss, "f() has other NaN or infinite values")) << other;
  }
  ExpectDifference(std::nan(""), std::nan(""), 0);
  EXPECT_THAT(MaxAbs(std::nan(""), 1.0), StatusIs(kDataLoss, HasSubstr("has other NaN")));
}

TEST(CompareValuesTest, FloatsDifferLikeTensors) {
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(4.0, 5.0, "f()"));
  EXPECT_EQ(difference.max_abs, 1);
  EXPECT_EQ(difference.relative, 0.25);
}

TEST(CompareValuesTest, ContainersCompareItemByItem) {
  const at::Tensor a = at::ones({2}), b = a + 1;
  ExpectDifference(std::make_tuple(a, b), std::make_tuple(a, b), 0);
  ExpectDifference(std::make_tuple(a, b), std::make_tuple(a, a), 1);
  ExpectDifference(c10::List<at::Tensor>({a, b}), c10::List<at::Tensor>({b, b}), 1);
  EXPECT_THAT(MaxAbs(c10::List<at::Tensor>({a, b}), c10::List<at::Tensor>({a})),
              StatusIs(kDataLoss, "f() wants 2 items, has 1"));
  EXPECT_THAT(MaxAbs(std::make_tuple(a, b), std::make_tuple(a, a.to(at::kHalf))),
              StatusIs(kDataLoss, StartsWith("f()[1] wants")));
  EXPECT_THAT(MaxAbs(a, c10::IValue()), StatusIs(kDataLoss, "f() wants Tensor, has None"));
  ExpectDifference(c10::IValue(), c10::IValue(), 0);
}

TEST(CompareValuesTest, DictionariesMayHaveAnyPlainKey) {
  const at::Tensor a = at::ones({2}), b = at::ones({3});
  ExpectDifference(Dictionary<std::string>("depth", a), Dictionary<std::string>("depth", a + 1), 1);
  ExpectDifference(Dictionary<int64_t>(1, a), Dictionary<int64_t>(1, a + 1), 1);
  ExpectDifference(Dictionary<double>(1.5, a), Dictionary<double>(1.5, a + 1), 1);
  ExpectDifference(Dictionary<bool>(true, a), Dictionary<bool>(true, a + 1), 1);
  EXPECT_THAT(MaxAbs(Dictionary<std::string>("depth", a), Dictionary<std::string>("sky", a)),
              StatusIs(kDataLoss, "f() wants the key \"depth\", has \"sky\""));
  EXPECT_THAT(MaxAbs(Dictionary<int64_t>(1, a), Dictionary<int64_t>(2, a)),
              StatusIs(kDataLoss, "f() wants the key 1, has 2"));
  EXPECT_THAT(MaxAbs(Dictionary<double>(1.5, a), Dictionary<double>(1.5, b)),
              StatusIs(kDataLoss, "f()[1.5] wants Float [2], has Float [3]"));
  EXPECT_THAT(MaxAbs(Dictionary<bool>(true, a), c10::Dict<bool, at::Tensor>()),
              StatusIs(kDataLoss, "f() wants 1 keys, has 0"));
}

TEST(CompareValuesTest, ValuesThatAreNotDenseTensorsAreRefused) {
  const at::Tensor dense = at::eye(3);
  const auto refuse = [](const c10::IValue& value, const std::string& what) {
    EXPECT_THAT(MaxAbs(value, value), StatusIs(kUnimplemented, StartsWith("f() is " + what + "; outputs are")));
  };
  refuse(dense.to_sparse(), "a tensor of layout Sparse on device cpu");
  refuse(dense.to_sparse_csr(), "a tensor of layout SparseCsr on device cpu");
  refuse(dense.to_mkldnn(), "a tensor of layout Mkldnn on device cpu");
  refuse(dense.to(at::kMeta), "a tensor of layout Strided on device meta");
  refuse(at::quantize_per_tensor(dense, 0.1, 0, at::kQInt8), "a quantized tensor");
  refuse(at::_nested_tensor_from_tensor_list({at::ones({2}), at::ones({3})}), "a nested tensor");
  refuse(at::_efficientzerotensor({3}, at::kFloat), "a tensor of layout Strided on device cpu");
  refuse(at::Tensor(), "an undefined tensor");
  refuse(Dictionary<at::Tensor>(dense, dense), "a dictionary with tensors for keys");
  refuse(torch::jit::Module("Net")._ivalue(), "of type __torch__.Net");
}

TEST(CompareValuesTest, AListThatContainsItselfIsRefused) {
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(list);
  EXPECT_THAT(MaxAbs(list, list), StatusIs(kUnimplemented, HasSubstr("nested deeper than 50 levels")));
  list.clear();
}

TEST(BitwiseEqualTest, ComparesBitsOfDenseTensors) {
  const at::Tensor a = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_TRUE(BitwiseEqual(a, a.t().contiguous().t()));
  EXPECT_FALSE(BitwiseEqual(a, a + 1e-6));
  EXPECT_FALSE(BitwiseEqual(at::zeros({1}), -at::zeros({1})));
  EXPECT_TRUE(BitwiseEqual(at::empty({0}), at::empty({0})));
  for (const at::Tensor& other : {a.to_sparse(), a.to(at::kMeta), at::Tensor()}) {
    EXPECT_FALSE(BitwiseEqual(a, other));
    EXPECT_FALSE(BitwiseEqual(other, other));
  }
}

TEST(EpsilonTest, IsTheLeastPowerOfTwoThatChangesOne) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor one = at::ones({}, type);
    const auto plus = [&](double value) { return one + at::full({}, value, type); };
    EXPECT_FALSE(plus(Epsilon(type)).equal(one)) << c10::toString(type);
    EXPECT_TRUE(plus(Epsilon(type) / 2).equal(one)) << c10::toString(type);
  }
}

}  // namespace

}  // namespace modelport
