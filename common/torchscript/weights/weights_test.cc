// Binding and auditing, on checkpoints that lie in memory.
#include "common/torchscript/weights/weights.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/constant.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/weights/count_values.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// One tensor, 0 to 5 as [2, 3], in one slot.
class WeightsTest : public testing::Test {
 protected:
  // Puts the bytes of `values` at `offset` bytes of a storage, and a view of them into the only slot.
  void Set(const at::Tensor& values, DType dtype, std::vector<int64_t> strides = {3, 1}, size_t offset = 0) {
    auto bytes = std::make_shared<std::string>(64, '\0');
    std::memcpy(bytes->data() + offset, values.const_data_ptr(), values.nbytes());
    Checkpoint::Contents contents;
    contents.path = "toy.safetensors";
    contents.storages.push_back({"weight", absl::string_view(*bytes).substr(offset, values.nbytes()), absl::nullopt});
    contents.state_dicts.push_back({"", {{"weight", dtype, {2, 3}, std::move(strides), 0, 0}}, {}});
    contents.files.push_back({contents.path, *bytes, bytes});
    checkpoint_ = std::make_unique<Checkpoint>(std::move(contents));
    tree_.slots = {{"weight", {2, 3}, false}};
    plan_.sources = {Take{{*checkpoint_, &checkpoint_->state_dicts()[0].tensors[0]}}};
  }

  at::Tensor Bound(DType dtype) {
    bound_ = *BindTensors(*checkpoint_, plan_, tree_, dtype);
    return bound_.tensors[0];
  }

  bool IsBorrowed(const at::Tensor& tensor) const {
    const absl::string_view bytes = checkpoint_->files()[0].bytes;
    const char* data = static_cast<const char*>(tensor.const_data_ptr());
    return data >= bytes.data() && data < bytes.data() + bytes.size();
  }

  absl::Status Audit(bool allow_nonfinite = false) {
    return AuditValues(*checkpoint_, plan_, tree_, bound_, allow_nonfinite);
  }

  std::unique_ptr<Checkpoint> checkpoint_;
  ModuleTree tree_;
  Plan plan_;
  BoundTensors bound_;
};

at::Tensor ZeroToFive(at::ScalarType type) { return at::arange(6, type); }

TEST_F(WeightsTest, ATensorOfTheRightDTypeAndStridesIsBorrowed) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32);
  const at::Tensor tensor = Bound(DType::kFloat32);
  EXPECT_TRUE(IsBorrowed(tensor));
  EXPECT_TRUE(tensor.equal(ZeroToFive(at::kFloat).view({2, 3})));
  EXPECT_TRUE(bound_.converted.empty());
}

TEST_F(WeightsTest, ASourceIsReadInItsOwnDTypeAndStrides) {
  Set(ZeroToFive(at::kHalf), DType::kFloat16, {1, 2});
  ASSERT_OK_AND_ASSIGN(const at::Tensor values, ReadSource(plan_.sources[0]));
  EXPECT_TRUE(IsBorrowed(values));
  EXPECT_EQ(values.scalar_type(), at::kHalf);
  EXPECT_TRUE(values.equal(ZeroToFive(at::kHalf).view({3, 2}).t()));
}

TEST_F(WeightsTest, AMisalignedSourceIsEvaluated) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32, {1, 2}, 1);
  ASSERT_OK_AND_ASSIGN(const at::Tensor values, ReadSource(plan_.sources[0]));
  EXPECT_FALSE(IsBorrowed(values));
  EXPECT_TRUE(values.is_contiguous());
  EXPECT_TRUE(values.equal(ZeroToFive(at::kFloat).view({3, 2}).t()));
}

TEST_F(WeightsTest, StridedTensorsBecomeContiguous) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32, {1, 2});
  const at::Tensor tensor = Bound(DType::kFloat32);
  EXPECT_TRUE(tensor.is_contiguous());
  EXPECT_TRUE(tensor.equal(ZeroToFive(at::kFloat).view({3, 2}).t()));
}

TEST_F(WeightsTest, MisalignedTensorsAreCopied) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32, {3, 1}, 1);
  const at::Tensor tensor = Bound(DType::kFloat32);
  EXPECT_FALSE(IsBorrowed(tensor));
  EXPECT_TRUE(tensor.equal(ZeroToFive(at::kFloat).view({2, 3})));
}

TEST_F(WeightsTest, OtherFloatingDTypesAreConvertedAndListed) {
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3, DType::kFloat8E5M2}) {
    Set(ZeroToFive(at::kFloat).to(ToScalarType(dtype)), dtype);
    EXPECT_TRUE(Bound(DType::kFloat32).equal(ZeroToFive(at::kFloat).view({2, 3})));
    EXPECT_THAT(bound_.converted[dtype].slots, ElementsAre("weight"));
  }
}

TEST_F(WeightsTest, ValuesThatAConversionMakesZeroOrSubnormalAreCounted) {
  at::Tensor values = ZeroToFive(at::kDouble);
  values[3] = 1e-60;
  values[4] = -1e-40;
  Set(values, DType::kFloat64);
  Bound(DType::kFloat32);
  EXPECT_EQ(bound_.converted[DType::kFloat64].underflow.zeros, 1);
  EXPECT_EQ(bound_.converted[DType::kFloat64].underflow.subnormals, 1);
}

TEST_F(WeightsTest, TensorsThatRepeatTheFileManyTimesAreRefused) {
  auto bytes = std::make_shared<std::string>(1'000'000, '\0');
  Checkpoint::Contents contents;
  contents.path = "toy.pth";
  contents.storages.push_back({"0", *bytes, absl::nullopt});
  contents.state_dicts.push_back({"", {{"weight", DType::kFloat32, {250'000}, {0}, 0, 0}}, {}});
  contents.files.push_back({contents.path, *bytes, bytes});
  const Checkpoint checkpoint(std::move(contents));
  for (const int slots : {60, 70}) {
    tree_.slots.assign(slots, {"weight", {250'000}, false});
    plan_.sources.assign(slots, Take{{checkpoint, &checkpoint.state_dicts()[0].tensors[0]}});
    const auto bound = BindTensors(checkpoint, plan_, tree_, DType::kFloat32);
    EXPECT_EQ(bound.ok(), slots == 60) << bound.status();
    if (bound.ok()) continue;
    EXPECT_THAT(bound, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("toy.pth: its tensors repeat")));
  }
}

TEST_F(WeightsTest, ASlotWithoutATensorIsZeros) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32);
  plan_.sources[0] = Constant{{2, 3}, DType::kFloat32, "not needed"};
  EXPECT_TRUE(Bound(DType::kFloat16).equal(at::zeros({2, 3}, at::kHalf)));
  EXPECT_TRUE(bound_.converted.empty());
}

TEST_F(WeightsTest, ASlotThatIsNotFloatingKeepsItsDType) {
  Set(ZeroToFive(at::kLong), DType::kInt64);
  tree_.slots[0].dtype = DType::kInt64;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    const at::Tensor tensor = Bound(dtype);
    EXPECT_TRUE(IsBorrowed(tensor));
    EXPECT_TRUE(tensor.equal(ZeroToFive(at::kLong).view({2, 3})));
    EXPECT_TRUE(bound_.converted.empty());
    EXPECT_OK(Audit());
  }
  plan_.sources[0] = Constant{{2, 3}, DType::kInt64, "not needed"};
  EXPECT_TRUE(Bound(DType::kFloat16).equal(at::zeros({2, 3}, at::kLong)));
}

TEST_F(WeightsTest, FiniteValuesPassTheAudit) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32);
  Bound(DType::kFloat32);
  EXPECT_OK(Audit());
}

TEST_F(WeightsTest, NonfiniteValuesAreNamedAndRefusedUnlessAllowed) {
  at::Tensor values = ZeroToFive(at::kFloat);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  Set(values, DType::kFloat32);
  Bound(DType::kFloat32);
  EXPECT_THAT(Audit(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                AllOf(HasSubstr("toy.safetensors: 1 tensors hold NaN or infinite values"),
                                      HasSubstr("--allow_nonfinite"), HasSubstr("weight: 1 of 6 values"))));
  EXPECT_OK(Audit(/*allow_nonfinite=*/true));
}

TEST_F(WeightsTest, ConversionsThatOverflowAreRefusedInAnyCase) {
  at::Tensor values = ZeroToFive(at::kFloat);
  values[3] = 1e6;
  Set(values, DType::kFloat32);
  Bound(DType::kFloat16);
  EXPECT_THAT(Audit(/*allow_nonfinite=*/true),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("overflow in float16: --dtype=float32"), Not(HasSubstr("in the checkpoint")))));
}

// Whether the tensor's memory is a mapping of a file, which the system can take back.
bool IsMappedFromAFile(const at::Tensor& tensor) {
  const auto data = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
  std::ifstream maps("/proc/self/maps");
  uintptr_t begin, end;
  char dash;
  std::string permissions, offset, device, inode, rest;
  while (maps >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode &&
         std::getline(maps, rest)) {
    if (begin <= data && data < end) return inode != "0";
  }
  return false;
}

TEST_F(WeightsTest, LargeTensorsThatAreMadeAreKeptInAFile) {
  auto bytes = std::make_shared<std::string>(4'000'000, '\0');
  std::iota(reinterpret_cast<float*>(bytes->data()), reinterpret_cast<float*>(bytes->data()) + 1'000'000, 0);
  Checkpoint::Contents contents;
  contents.path = "toy.pth";
  contents.files.push_back({contents.path, *bytes, bytes});
  contents.storages.push_back({"0", *bytes, absl::nullopt});
  contents.state_dicts.push_back({"",
                                  {{"columns", DType::kFloat32, {1000, 1000}, {1, 1000}, 0, 0},
                                   {"rows", DType::kFloat32, {1000, 1000}, {1000, 1}, 0, 0},
                                   {"corner", DType::kFloat32, {10, 10}, {1, 1000}, 0, 0}},
                                  {}});
  const Checkpoint checkpoint(std::move(contents));
  tree_.slots = {{"columns", {1000, 1000}, false}, {"rows", {1000, 1000}, false}, {"corner", {10, 10}, false}};
  plan_.sources.clear();
  for (const CheckpointTensor& tensor : checkpoint.state_dicts()[0].tensors) {
    plan_.sources.emplace_back(Take{{checkpoint, &tensor}});
  }
  const std::string file = testing::TempDir() + "/toy.weights";
  ASSERT_OK_AND_ASSIGN(const BoundTensors bound, BindTensors(checkpoint, plan_, tree_, DType::kFloat32, file));
  ASSERT_OK_AND_ASSIGN(const BoundTensors in_memory, BindTensors(checkpoint, plan_, tree_, DType::kFloat32));
  ASSERT_EQ(bound.tensors.size(), 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(bound.tensors[i].equal(in_memory.tensors[i])) << i;
  EXPECT_TRUE(IsMappedFromAFile(bound.tensors[0]));
  EXPECT_FALSE(IsMappedFromAFile(in_memory.tensors[0]));
  EXPECT_FALSE(IsMappedFromAFile(bound.tensors[2]));
}

TEST_F(WeightsTest, OnlyStoragesInUseAreVerified) {
  Set(ZeroToFive(at::kFloat), DType::kFloat32);
  EXPECT_OK(VerifyInputs(*checkpoint_, plan_.sources));
  Checkpoint::Contents contents;
  contents.path = "toy.pth";
  contents.files = checkpoint_->files();
  contents.files[0].path = contents.path;
  contents.storages = checkpoint_->storages();
  contents.storages[0].crc32 = 1;
  const Checkpoint damaged(contents);
  EXPECT_THAT(VerifyInputs(damaged, plan_.sources),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("toy.pth: weight: CRC-32")));
  plan_.sources[0] = Constant{{2, 3}, DType::kFloat32, "not needed"};
  EXPECT_OK(VerifyInputs(damaged, plan_.sources));
}

class NonfiniteTest : public testing::TestWithParam<at::ScalarType> {};

TEST_P(NonfiniteTest, CountsNaNsAndInfinitiesOfBothSigns) {
  at::Tensor values = at::zeros({10000}, at::kDouble);
  EXPECT_EQ(CountNonfinite(values.to(GetParam())), 0);
  values[0] = std::numeric_limits<double>::quiet_NaN();
  values[5000] = std::numeric_limits<double>::infinity();
  values[9999] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(CountNonfinite(values.to(GetParam())), 3);
}

TEST_P(NonfiniteTest, TheLargestFiniteValueIsFinite) {
  const double largest = GetParam() == at::kHalf ? 65504 : 3e38;
  EXPECT_EQ(CountNonfinite(at::full({3}, largest, at::kDouble).to(GetParam())), 0);
}

TEST_P(NonfiniteTest, AllOfALargeTensor) {
  EXPECT_EQ(CountNonfinite(at::full({200001}, std::numeric_limits<double>::infinity(), at::kDouble).to(GetParam())),
            200001);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, NonfiniteTest, testing::Values(at::kDouble, at::kFloat, at::kHalf, at::kBFloat16));

TEST(NonfiniteTest, FloatsOf8BitsAreCounted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const at::ScalarType type : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    EXPECT_EQ(CountNonfinite(at::full({1000}, nan, at::kDouble).to(type)), 1000);
    EXPECT_EQ(CountNonfinite(at::full({1000}, 448, at::kDouble).to(type)), 0);
  }
}

TEST(NonfiniteTest, IntegersAreFinite) { EXPECT_EQ(CountNonfinite(at::full({3}, -1, at::kLong)), 0); }

struct Case {
  at::ScalarType from;
  at::ScalarType to;
  double normal;     // Stays a normal number.
  double subnormal;  // Becomes subnormal.
  double zero;       // Becomes zero.
};

class UnderflowTest : public testing::TestWithParam<Case> {
 protected:
  at::ScalarType from() const { return GetParam().from; }
  at::ScalarType to() const { return GetParam().to; }

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
};

void ExpectCounts(const Underflow& underflow) {
  EXPECT_EQ(underflow.zeros, 250);
  EXPECT_EQ(underflow.subnormals, 333);
}

TEST_P(UnderflowTest, CountsElementsThatBecomeZeroOrSubnormal) {
  const at::Tensor values = Values();
  ExpectCounts(CountUnderflow(values, values.to(to())));
}

TEST_P(UnderflowTest, CountsInStridedTensors) {
  const at::Tensor values = Values().view({5, 10, 20}).transpose(0, 2);
  ASSERT_FALSE(values.is_contiguous());
  ExpectCounts(CountUnderflow(values, values.to(to()).contiguous()));
}

TEST_P(UnderflowTest, CountsInSlicesOfALargerTensor) {
  const at::Tensor values = at::stack({Values(), at::full({1000}, GetParam().zero, from())}, 1).select(1, 0);
  ASSERT_FALSE(values.is_contiguous());
  ExpectCounts(CountUnderflow(values, values.to(to()).contiguous()));
}

TEST_P(UnderflowTest, CountsAllOfALargeTensor) {
  const at::Tensor values = at::full({3'000'001}, GetParam().zero, from());
  EXPECT_EQ(CountUnderflow(values, values.to(to())).zeros, 3'000'001);
}

TEST_P(UnderflowTest, AnEmptyTensorHasNone) {
  const at::Tensor values = at::empty({2, 0}, from());
  EXPECT_EQ(CountUnderflow(values, values.to(to())).zeros, 0);
}

INSTANTIATE_TEST_SUITE_P(Conversions, UnderflowTest,
                         testing::Values(Case{at::kDouble, at::kFloat, 1e-37, 1e-40, 1e-60},
                                         Case{at::kDouble, at::kHalf, 1e-4, 1e-6, 1e-9},
                                         Case{at::kDouble, at::kBFloat16, 1e-37, 1e-39, 1e-60},
                                         Case{at::kFloat, at::kHalf, 1e-4, 1e-6, 1e-9},
                                         Case{at::kBFloat16, at::kHalf, 1e-4, 1e-6, 1e-9}));

TEST(UnderflowTest, ValuesThatWereSubnormalBeforeAreNotCounted) {
  const at::Tensor values = at::full({3}, 1e-39, at::kFloat);
  const Underflow underflow = CountUnderflow(values, values.to(at::kBFloat16));
  EXPECT_EQ(underflow.zeros, 0);
  EXPECT_EQ(underflow.subnormals, 0);
}

TEST(UnderflowTest, Float16FitsIntoTheOthers) {
  const at::Tensor values = at::full({3}, 6e-8, at::kHalf);
  for (const at::ScalarType to : {at::kFloat, at::kBFloat16}) {
    const at::Tensor converted = values.to(to);
    EXPECT_TRUE(converted.ne(0).all().item<bool>());
    EXPECT_EQ(CountUnderflow(values, converted).subnormals, 0);
  }
}

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

namespace fs = std::filesystem;

std::string NewFolder(const std::string& name) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/", name);
  fs::create_directories(folder);
  return folder;
}

TEST(TensorFileTest, GivesTheTensorsBackWithoutALastingFile) {
  const std::string folder = NewFolder("back");
  const at::Tensor floats = at::arange(6, at::kFloat).view({2, 3}), bytes = at::arange(3, at::kByte),
                   halves = at::ones({5}, at::kHalf);
  std::vector<at::Tensor> mapped;
  {
    TensorFile file(folder + "/m.pt.weights");
    for (const at::Tensor& tensor : {floats, bytes, halves}) ASSERT_OK(file.Append(tensor));
    ASSERT_OK_AND_ASSIGN(mapped, file.Map());
  }
  EXPECT_TRUE(fs::is_empty(folder));
  ASSERT_EQ(mapped.size(), 3);
  EXPECT_TRUE(mapped[0].equal(floats));
  EXPECT_TRUE(mapped[1].equal(bytes));
  EXPECT_TRUE(mapped[2].equal(halves));
  for (const at::Tensor& tensor : mapped) EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 64, 0);
}

TEST(TensorFileTest, CreatesNothingWithoutATensor) {
  TensorFile file("/no/such/folder/m.pt.weights");
  ASSERT_OK_AND_ASSIGN(const std::vector<at::Tensor> mapped, file.Map());
  EXPECT_TRUE(mapped.empty());
  EXPECT_THAT(file.Append(at::ones({1})), StatusIs(absl::StatusCode::kNotFound, testing::HasSubstr("m.pt.weights")));
}

}  // namespace
}  // namespace modelport
