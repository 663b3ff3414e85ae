// Every operation, and what holds for all of them.
#include "common/operation/slot_source.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/constant.h"
#include "common/operation/operation.h"
#include "common/operation/source_input.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 0 to 5 in one storage, as tensors "matrix" [2, 3], "same" (its equal), "columns" [3, 2] (transposed) and "empty" [0].
Checkpoint MakeCheckpoint() {
  const int16_t values[] = {0, 1, 2, 3, 4, 5};
  auto bytes = std::make_shared<std::string>(reinterpret_cast<const char*>(values), sizeof(values));
  Checkpoint::Contents contents;
  contents.storages.push_back({"0", *bytes, absl::nullopt});
  contents.state_dicts.push_back({"",
                                  {{"matrix", DType::kInt16, {2, 3}, {3, 1}, 0, 0},
                                   {"same", DType::kInt16, {2, 3}, {3, 1}, 0, 0},
                                   {"columns", DType::kInt16, {3, 2}, {1, 3}, 0, 0},
                                   {"empty", DType::kInt16, {0}, {1}, 0, 0}},
                                  {}});
  contents.files.push_back({"toy.pth", *bytes, bytes});
  return Checkpoint(std::move(contents));
}

SlotSource TakeFrom(const Checkpoint& checkpoint, size_t tensor) {
  return Take{{checkpoint, &checkpoint.state_dicts()[0].tensors[tensor]}};
}

std::vector<int16_t> Evaluated(const SlotSource& source) {
  std::vector<int16_t> elements(*ElementCount(source.shape()), -1);
  EXPECT_OK(source.Evaluate(reinterpret_cast<char*>(elements.data())));
  return elements;
}

TEST(TakeTest, IsTheTensorWhereItIsInTheFile) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const SlotSource source = TakeFrom(checkpoint, 2);
  EXPECT_EQ(source.shape(), Shape({3, 2}));
  EXPECT_EQ(source.dtype(), DType::kInt16);
  ASSERT_TRUE(source.view());
  EXPECT_EQ(source.view()->data, checkpoint.files()[0].bytes.data());
  EXPECT_THAT(source.view()->strides, ElementsAre(1, 3));
  ASSERT_EQ(source.inputs().size(), 1);
  EXPECT_EQ(source.inputs()[0].tensor->key, "columns");
  EXPECT_EQ(source.constant(), nullptr);
}

TEST(TakeTest, IsEvaluatedInRowMajorOrder) {
  const Checkpoint checkpoint = MakeCheckpoint();
  EXPECT_THAT(Evaluated(TakeFrom(checkpoint, 0)), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Evaluated(TakeFrom(checkpoint, 2)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Evaluated(TakeFrom(checkpoint, 3)), IsEmpty());
}

TEST(TakeTest, KeepsItsCheckpointOpen) {
  auto checkpoint = std::make_unique<Checkpoint>(MakeCheckpoint());
  const SlotSource source = TakeFrom(*checkpoint, 0);
  checkpoint.reset();
  EXPECT_THAT(Evaluated(source), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(TakeTest, IsEqualForTheSameElementsOfOneCheckpoint) {
  const Checkpoint checkpoint = MakeCheckpoint(), copy = checkpoint, other = MakeCheckpoint();
  EXPECT_EQ(TakeFrom(checkpoint, 0), TakeFrom(checkpoint, 1));
  EXPECT_EQ(TakeFrom(checkpoint, 0), TakeFrom(copy, 0));
  EXPECT_NE(TakeFrom(checkpoint, 0), TakeFrom(checkpoint, 2));
  EXPECT_NE(TakeFrom(checkpoint, 0), TakeFrom(other, 0));
}

// The result with index `result` of one operation over the checkpoint's tensors with these indices.
absl::StatusOr<Computed> Compute(const Checkpoint& checkpoint, const std::vector<size_t>& tensors,
                                 const Operation& operation, size_t result) {
  std::vector<SlotSource> inputs;
  for (const size_t i : tensors) inputs.push_back(TakeFrom(checkpoint, i));
  return Computed::Make(std::move(inputs), {operation}, result);
}

TEST(ComputedTest, IsEvaluatedFromItsInputs) {
  const Checkpoint checkpoint = MakeCheckpoint();
  ASSERT_OK_AND_ASSIGN(const SlotSource source,
                       Compute(checkpoint, {0, 1}, MakeOperation("concatenate", {1}).value(), 0));
  EXPECT_EQ(source.shape(), Shape({2, 6}));
  EXPECT_EQ(source.dtype(), DType::kInt16);
  EXPECT_EQ(source.inputs().size(), 2);
  EXPECT_FALSE(source.view());
  EXPECT_THAT(Evaluated(source), ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5));
}

TEST(ComputedTest, IsReadInTheFileWhereItsOperationsCopyNothing) {
  const Checkpoint checkpoint = MakeCheckpoint();
  ASSERT_OK_AND_ASSIGN(const SlotSource source, Compute(checkpoint, {2}, MakeOperation("chunk", {3, 0}).value(), 1));
  ASSERT_TRUE(source.view());
  EXPECT_EQ(source.view()->data, checkpoint.files()[0].bytes.data() + sizeof(int16_t));
  EXPECT_THAT(Evaluated(source), ElementsAre(1, 4));
}

TEST(ComputedTest, IsEqualForTheSameOperationsOverTheSameElements) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const Operation chunk = MakeOperation("chunk", {2, 0}).value(), swap = MakeOperation("swap_halves", {0}).value();
  const SlotSource source = Compute(checkpoint, {0}, chunk, 0).value();
  EXPECT_EQ(source, SlotSource(Compute(checkpoint, {1}, chunk, 0).value()));
  EXPECT_NE(source, SlotSource(Compute(checkpoint, {0}, chunk, 1).value()));
  EXPECT_NE(source, SlotSource(Compute(checkpoint, {0}, swap, 0).value()));
  EXPECT_NE(source, TakeFrom(checkpoint, 0));
}

TEST(ComputedTest, TensorsThatDoNotFitAreErrors) {
  const Checkpoint checkpoint = MakeCheckpoint();
  EXPECT_THAT(Compute(checkpoint, {0, 2}, MakeOperation("concatenate", {0}).value(), 0),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "concatenate(0): the tensors have different shapes: [2, 3] and [3, 2]"));
}

TEST(ComputedTest, OperationsFollowThoseOfItsInputs) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const Operation concatenate = MakeOperation("concatenate", {0}).value(),
                  chunk = MakeOperation("chunk", {2, 0}).value();
  const SlotSource joined = Compute(checkpoint, {0, 1}, concatenate, 0).value();
  ASSERT_OK_AND_ASSIGN(const SlotSource half, Computed::Make({joined}, {chunk}, 1));
  EXPECT_FALSE(half.view());
  EXPECT_EQ(half.inputs().size(), 2);
  EXPECT_THAT(Evaluated(half), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(half, SlotSource(Computed::Make({joined}, {chunk}, 1).value()));
  EXPECT_NE(half, SlotSource(Computed::Make({joined}, {chunk}, 0).value()));
  ASSERT_OK_AND_ASSIGN(const SlotSource taken, Computed::Make({TakeFrom(checkpoint, 0)}, {}, 0));
  EXPECT_THAT(Evaluated(taken), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(ComputedTest, HasTheDTypeOfItsLastOperation) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const std::vector<Operation> casts = {
      MakeOperation("cast", {DTypeArgument(DType::kInt16), DTypeArgument(DType::kFloat32)}).value(),
      MakeOperation("cast", {DTypeArgument(DType::kFloat32), DTypeArgument(DType::kInt8)}).value()};
  ASSERT_OK_AND_ASSIGN(const SlotSource source, Computed::Make({TakeFrom(checkpoint, 2)}, casts, 0));
  EXPECT_EQ(source.dtype(), DType::kInt8);
  std::vector<int8_t> elements(6);
  ASSERT_OK(source.Evaluate(reinterpret_cast<char*>(elements.data())));
  EXPECT_THAT(elements, ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(source.operation(), "cast(int16, float32), cast(float32, int8)");
  EXPECT_FALSE(source.computed()->changes_numbers());
  EXPECT_THAT(Computed::Make({source}, casts, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, "cast(int16, float32): wants int16, has int8"));
}

TEST(ComputedTest, ANumberThatTheDTypeLacksIsAnErrorOfItsEvaluation) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const Operation cast = MakeOperation("cast", {DTypeArgument(DType::kInt16), DTypeArgument(DType::kBool)}).value();
  ASSERT_OK_AND_ASSIGN(const SlotSource source, Compute(checkpoint, {0}, cast, 0));
  ASSERT_OK_AND_ASSIGN(const SlotSource around,
                       Computed::Make({source}, {MakeOperation("transpose", {0, 1}).value()}, 0));
  std::vector<char> elements(6);
  for (const SlotSource& one : {source, around}) {
    EXPECT_THAT(one.Evaluate(elements.data()),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         "cast(int16, bool): bool does not hold 2, element 2 of [2, 3]"));
  }
}

TEST(ConstantTest, ReadsNothingAndIsEvaluated) {
  const SlotSource source = Constant{{2, 2}, DType::kInt16, "not needed"};
  EXPECT_EQ(source.shape(), Shape({2, 2}));
  EXPECT_EQ(source.dtype(), DType::kInt16);
  EXPECT_THAT(source.inputs(), IsEmpty());
  EXPECT_FALSE(source.view());
  EXPECT_THAT(Evaluated(source), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Evaluated(Constant{{3}, DType::kInt16, "x", {int64_t{-7}}}), ElementsAre(-7, -7, -7));
  EXPECT_THAT(Evaluated(Constant{{}, DType::kInt16, "x", {7.0}}), ElementsAre(7));
  const std::vector<Number> each = {int64_t{1}, int64_t{2}, int64_t{3}};
  EXPECT_THAT(Evaluated(Constant{{1, 3}, DType::kInt16, "x", each}), ElementsAre(1, 2, 3));
  ASSERT_NE(source.constant(), nullptr);
  EXPECT_EQ(source.constant()->reason, "not needed");
}

TEST(ConstantTest, HasItsNumberInEveryDType) {
  std::vector<float> floats(2);
  ASSERT_OK(SlotSource(Constant{{2}, DType::kFloat32, "x", {0.1}}).Evaluate(reinterpret_cast<char*>(floats.data())));
  EXPECT_THAT(floats, ElementsAre(0.1f, 0.1f));
  std::string bools(3, '\x55');
  ASSERT_OK(SlotSource(Constant{{3}, DType::kBool, "x", {int64_t{1}}}).Evaluate(bools.data()));
  EXPECT_EQ(bools, "\1\1\1");
}

TEST(SlotSourceTest, NamesItsOperation) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const auto computed = [&](const std::vector<size_t>& tensors, const Operation& operation, size_t result) {
    return SlotSource(Compute(checkpoint, tensors, operation, result).value()).operation();
  };
  EXPECT_EQ(TakeFrom(checkpoint, 0).operation(), "");
  EXPECT_EQ(SlotSource(Constant{{2}, DType::kInt16, "x"}).operation(), "zeros");
  EXPECT_EQ(SlotSource(Constant{{2}, DType::kFloat32, "x", {0.5}}).operation(), "constant(0.5)");
  EXPECT_EQ(SlotSource(Constant{{2}, DType::kFloat32, "x", {0.5, 0.25}}).operation(), "constant(0.5, 0.25)");
  EXPECT_EQ(computed({0, 1}, MakeOperation("concatenate", {1}).value(), 0), "concatenate(1)");
  EXPECT_EQ(computed({0}, MakeOperation("chunk", {2, 0}).value(), 1), "chunk(2, 0)[1]");
}

TEST(ConstantTest, IsEqualByShapeDTypeReasonAndValue) {
  const SlotSource source = Constant{{2}, DType::kInt16, "x"};
  EXPECT_EQ(source, SlotSource(Constant{{2}, DType::kInt16, "x"}));
  EXPECT_NE(source, SlotSource(Constant{{3}, DType::kInt16, "x"}));
  EXPECT_NE(source, SlotSource(Constant{{2}, DType::kInt16, "x", {int64_t{1}}}));
  EXPECT_NE(source, TakeFrom(MakeCheckpoint(), 0));
}

}  // namespace
}  // namespace modelport
