#include "artifact/format/stored_tensors.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <c10/core/alignment.h>

#include <cstring>
#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr int64_t kCount = 8;

// A file that has the numbers 0 to 7 for the slots "a" and, transposed, "m", `shift` bytes behind an aligned place, and
// nothing for others.
class ShiftedArtifact : public StoredArtifact {
 public:
  explicit ShiftedArtifact(size_t shift) : StoredArtifact("shifted", nullptr), shift_(shift) {
    const at::Tensor numbers = at::arange(kCount, at::kFloat);
    std::memcpy(bytes_ + shift, numbers.const_data_ptr(), numbers.nbytes());
  }

  FormatKind format() const override { return FormatKind::kOnnx; }
  bool has_code() const override { return true; }
  absl::StatusOr<absl::optional<StoredPart>> FindManifest() const override { return absl::nullopt; }
  absl::StatusOr<std::vector<absl::optional<StoredPart>>> FindTensors(const std::vector<Slot>& slots,
                                                                      DType) const override {
    std::vector<absl::optional<StoredPart>> parts;
    for (const Slot& slot : slots) {
      parts.emplace_back();
      if (slot.name == "a") {
        parts.back() = StoredPart{"initializer a", {bytes_ + shift_, kCount * sizeof(float)}};
      }
      if (slot.name == "m") {
        parts.back() = StoredPart{
            .name = "initializer m.T", .bytes = {bytes_ + shift_, kCount * sizeof(float)}, .is_transposed = true};
      }
    }
    return parts;
  }

  const char* start() const { return bytes_ + shift_; }

 private:
  const size_t shift_;
  alignas(c10::gAlignment) char bytes_[2 * c10::gAlignment + kCount * sizeof(float)] = {};
};

Slot SlotOf(const std::string& name) {
  Slot slot;
  slot.name = name;
  slot.shape = {kCount};
  return slot;
}

TEST(StoredTensorsTest, AlignedTensorsAreBorrowed) {
  const ShiftedArtifact file(c10::gAlignment);
  ASSERT_OK_AND_ASSIGN(const BoundTensors bound, BorrowTensors(file, {SlotOf("a")}, DType::kFloat32));
  EXPECT_EQ(bound.tensors[0].const_data_ptr(), file.start());
}

TEST(StoredTensorsTest, AMatrixThatIsTransposedInTheFileIsTurnedBack) {
  const ShiftedArtifact file(c10::gAlignment);
  Slot slot = SlotOf("m");
  slot.shape = {4, 2};
  ASSERT_OK_AND_ASSIGN(const BoundTensors bound, BorrowTensors(file, {slot}, DType::kFloat32));
  const at::Tensor matrix = at::arange(kCount, at::kFloat).reshape({2, 4}).t().contiguous();
  EXPECT_TRUE(bound.tensors[0].equal(matrix));
  EXPECT_TRUE(bound.tensors[0].is_contiguous());
  EXPECT_OK(CompareTensors(file, {slot}, DType::kFloat32, {{{matrix}, {}}}).status());
  EXPECT_THAT(CompareTensors(file, {slot}, DType::kFloat32, {{{matrix.reshape({2, 4}).t().contiguous()}, {}}}).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("initializer m.T (m): is not the tensor")));
}

TEST(StoredTensorsTest, OthersAreCopied) {
  for (const size_t shift : {1, 4, 32}) {
    const ShiftedArtifact file(shift);
    ASSERT_OK_AND_ASSIGN(const BoundTensors bound, BorrowTensors(file, {SlotOf("a")}, DType::kFloat32));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bound.tensors[0].const_data_ptr()) % c10::gAlignment, 0) << shift;
    EXPECT_TRUE(bound.tensors[0].equal(at::arange(kCount, at::kFloat))) << shift;
  }
}

TEST(StoredTensorsTest, WhatTheFileLacksIsNotBorrowed) {
  const ShiftedArtifact file(0);
  EXPECT_THAT(BorrowTensors(file, {SlotOf("a"), SlotOf("b")}, DType::kFloat32).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the tensors that its code uses, and not b")));
}

TEST(StoredTensorsTest, TensorsThatTheFileHasAreComparedAndCounted) {
  const ShiftedArtifact file(0);
  const std::vector<Slot> slots = {SlotOf("a"), SlotOf("b")};
  const at::Tensor numbers = at::arange(kCount, at::kFloat);
  ASSERT_OK_AND_ASSIGN(const int64_t held, CountTensors(file, slots, DType::kFloat32));
  EXPECT_EQ(held, 1);
  ASSERT_OK_AND_ASSIGN(const int64_t compared,
                       CompareTensors(file, slots, DType::kFloat32, {{{numbers, numbers}, {}}}));
  EXPECT_EQ(compared, 1);
  EXPECT_THAT(CompareTensors(file, slots, DType::kFloat32, {{{at::zeros({kCount}), numbers}, {}}}).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("initializer a (a): is not the tensor")));
}

TEST(StoredTensorsTest, AFileHoldsATenthOfTheModel) {
  const ShiftedArtifact file(0);
  std::vector<Slot> slots = {SlotOf("a")};
  for (int i = 0; i < 9; ++i) slots.push_back(SlotOf("b"));
  EXPECT_OK(CheckHoldsTensors(file, slots, DType::kFloat32));
  slots.push_back(SlotOf("b"));
  EXPECT_THAT(CheckHoldsTensors(file, slots, DType::kFloat32),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no artifact of this model")));
}

}  // namespace
}  // namespace modelport
