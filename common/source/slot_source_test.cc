// Every operation, and what holds for all of them.
#include "common/source/slot_source.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/source/computed.h"
#include "common/source/operation.h"
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
  source.Evaluate(reinterpret_cast<char*>(elements.data()));
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
  EXPECT_EQ(source.zeros(), nullptr);
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
  std::vector<SourceInput> inputs;
  for (const size_t i : tensors) inputs.push_back({checkpoint, &checkpoint.state_dicts()[0].tensors[i]});
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

TEST(ZerosTest, ReadNothingAndAreEvaluated) {
  const SlotSource source = Zeros{{2, 2}, DType::kInt16, "not needed"};
  EXPECT_EQ(source.shape(), Shape({2, 2}));
  EXPECT_EQ(source.dtype(), DType::kInt16);
  EXPECT_THAT(source.inputs(), IsEmpty());
  EXPECT_FALSE(source.view());
  EXPECT_THAT(Evaluated(source), ElementsAre(0, 0, 0, 0));
  ASSERT_NE(source.zeros(), nullptr);
  EXPECT_EQ(source.zeros()->reason, "not needed");
}

TEST(SlotSourceTest, NamesItsOperation) {
  const Checkpoint checkpoint = MakeCheckpoint();
  const auto computed = [&](const std::vector<size_t>& tensors, const Operation& operation, size_t result) {
    return SlotSource(Compute(checkpoint, tensors, operation, result).value()).operation();
  };
  EXPECT_EQ(TakeFrom(checkpoint, 0).operation(), "");
  EXPECT_EQ(SlotSource(Zeros{{2}, DType::kInt16, "x"}).operation(), "zeros");
  EXPECT_EQ(computed({0, 1}, MakeOperation("concatenate", {1}).value(), 0), "concatenate(1)");
  EXPECT_EQ(computed({0}, MakeOperation("chunk", {2, 0}).value(), 1), "chunk(2, 0)[1]");
}

TEST(ZerosTest, AreEqualByShapeDTypeAndReason) {
  const SlotSource source = Zeros{{2}, DType::kInt16, "x"};
  EXPECT_EQ(source, SlotSource(Zeros{{2}, DType::kInt16, "x"}));
  EXPECT_NE(source, SlotSource(Zeros{{3}, DType::kInt16, "x"}));
  EXPECT_NE(source, TakeFrom(MakeCheckpoint(), 0));
}

}  // namespace
}  // namespace modelport
