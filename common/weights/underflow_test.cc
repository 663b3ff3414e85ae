#include "common/weights/underflow.h"

#include <ATen/Functions.h>

#include <cstring>
#include <string>
#include <vector>

#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/weights/bind_tensors.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

struct Case {
  DType from;
  DType to;
  double normal;     // Stays a normal number.
  double subnormal;  // Becomes subnormal.
  double zero;       // Becomes zero.
};

class UnderflowTest : public testing::TestWithParam<Case> {
 protected:
  at::ScalarType from() const { return ToScalarType(GetParam().from); }
  at::ScalarType to() const { return ToScalarType(GetParam().to); }

  // 1000 elements of every kind, both signs among them: 333 become subnormal, 250 become zero.
  at::Tensor Values() const {
    at::Tensor values = at::full({1000}, GetParam().normal, at::kDouble);
    values.slice(0, 0, 333) = GetParam().subnormal;
    values.slice(0, 500, 750) = GetParam().zero;
    values.slice(0, 900, 950) = 0;
    values.slice(0, 950, 960) = std::numeric_limits<double>::quiet_NaN();
    values.slice(0, 0, 1000, 2) *= -1;
    return values.to(from());
  }

  CheckpointTensor Tensor(const Shape& shape, const std::vector<int64_t>& strides) const {
    return {"w", GetParam().from, shape, strides, 0, 0};
  }
};

void ExpectCounts(const Underflow& underflow) {
  EXPECT_EQ(underflow.zeros, 250);
  EXPECT_EQ(underflow.subnormals, 333);
}

TEST_P(UnderflowTest, CountsWhatBecomesZeroOrSubnormal) {
  const at::Tensor values = Values();
  const char* data = static_cast<const char*>(values.const_data_ptr());
  ExpectCounts(CountUnderflow(Tensor({1000}, {1}), data, values.to(to())));
}

TEST_P(UnderflowTest, CountsInStridedTensors) {
  const at::Tensor values = Values().view({5, 10, 20}).transpose(0, 2);
  const char* data = static_cast<const char*>(values.const_data_ptr());
  ExpectCounts(
      CountUnderflow(Tensor(values.sizes().vec(), values.strides().vec()), data, values.to(to()).contiguous()));
}

TEST_P(UnderflowTest, CountsInMisalignedTensors) {
  const at::Tensor values = Values();
  std::string bytes(values.nbytes() + 1, '\0');
  std::memcpy(bytes.data() + 1, values.const_data_ptr(), values.nbytes());
  ExpectCounts(CountUnderflow(Tensor({1000}, {1}), bytes.data() + 1, values.to(to())));
}

TEST_P(UnderflowTest, CountsAllOfALargeTensor) {
  const at::Tensor values = at::full({3'000'001}, GetParam().zero, from());
  const char* data = static_cast<const char*>(values.const_data_ptr());
  EXPECT_EQ(CountUnderflow(Tensor({3'000'001}, {1}), data, values.to(to())).zeros, 3'000'001);
}

TEST_P(UnderflowTest, NothingIsNothing) {
  const at::Tensor values = at::empty({0}, from());
  EXPECT_EQ(CountUnderflow(Tensor({2, 0}, {0, 1}), nullptr, values.to(to())).zeros, 0);
}

INSTANTIATE_TEST_SUITE_P(Conversions, UnderflowTest,
                         testing::Values(Case{DType::kFloat64, DType::kFloat32, 1e-37, 1e-40, 1e-60},
                                         Case{DType::kFloat64, DType::kFloat16, 1e-4, 1e-6, 1e-9},
                                         Case{DType::kFloat64, DType::kBFloat16, 1e-37, 1e-39, 1e-60},
                                         Case{DType::kFloat32, DType::kFloat16, 1e-4, 1e-6, 1e-9},
                                         Case{DType::kBFloat16, DType::kFloat16, 1e-4, 1e-6, 1e-9}));

TEST(UnderflowTest, SubnormalsThatStaySoAreNotCounted) {
  const at::Tensor values = at::full({3}, 1e-39, at::kFloat);
  const CheckpointTensor tensor = {"w", DType::kFloat32, {3}, {1}, 0, 0};
  const Underflow underflow =
      CountUnderflow(tensor, static_cast<const char*>(values.const_data_ptr()), values.to(at::kBFloat16));
  EXPECT_EQ(underflow.zeros, 0);
  EXPECT_EQ(underflow.subnormals, 0);
}

TEST(UnderflowTest, Float16FitsIntoTheOthers) {
  const at::Tensor values = at::full({3}, 6e-8, at::kHalf);
  const CheckpointTensor tensor = {"w", DType::kFloat16, {3}, {1}, 0, 0};
  for (const at::ScalarType to : {at::kFloat, at::kBFloat16}) {
    const at::Tensor converted = values.to(to);
    EXPECT_TRUE(converted.ne(0).all().item<bool>());
    EXPECT_EQ(CountUnderflow(tensor, static_cast<const char*>(values.const_data_ptr()), converted).subnormals, 0);
  }
}

}  // namespace
}  // namespace modelport
