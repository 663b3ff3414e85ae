#include "common/source/derived.h"

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/checkpoint/checkpoint.h"
#include "common/source/computed.h"
#include "common/source/operation.h"
#include "common/source/take.h"
#include "common/source/zeros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

// Three tensors [2, 2] with the elements 0 to 11.
class DerivedTest : public testing::Test {
 protected:
  void SetUp() override {
    auto bytes = std::make_shared<std::string>(12, '\0');
    std::iota(bytes->begin(), bytes->end(), 0);
    Checkpoint::Contents contents;
    contents.storages.push_back({"0", *bytes, absl::nullopt});
    StateDict dict;
    for (int i = 0; i < 3; ++i)
      dict.tensors.push_back({std::string(1, 'a' + i), DType::kInt8, {2, 2}, {2, 1}, 4 * i, 0});
    contents.state_dicts.push_back(std::move(dict));
    contents.files.push_back({"toy.pth", *bytes, bytes});
    checkpoint_ = std::make_unique<Checkpoint>(std::move(contents));
  }

  SourceInput Input(size_t i) const { return {*checkpoint_, &checkpoint_->state_dicts()[0].tensors[i]}; }
  SlotSource Slot(size_t i) const { return Take{Input(i)}; }
  SlotSource Joined() const {
    return Computed::Make({Input(0), Input(1), Input(2)}, {MakeOperation("concatenate", {0}).value()}, 0).value();
  }

  std::unique_ptr<Checkpoint> checkpoint_;
};

std::vector<int8_t> Evaluated(const Derived& derived) {
  std::vector<int8_t> elements(*ElementCount(derived.shape()), -1);
  derived.Evaluate(reinterpret_cast<char*>(elements.data()));
  return elements;
}

TEST_F(DerivedTest, OfOneSlotIsWhatFillsIt) {
  const Derived taken(Slot(1)), joined(Joined());
  EXPECT_EQ(taken.shape(), Shape({2, 2}));
  EXPECT_EQ(taken.dtype(), DType::kInt8);
  ASSERT_TRUE(taken.view());
  EXPECT_EQ(taken.view()->data, checkpoint_->files()[0].bytes.data() + 4);
  EXPECT_THAT(Evaluated(taken), ElementsAre(4, 5, 6, 7));
  EXPECT_FALSE(joined.view());
  EXPECT_EQ(joined.shape(), Shape({6, 2}));
  EXPECT_THAT(Evaluated(joined), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(DerivedTest, IsReadInTheFileWhereNothingIsCopied) {
  ASSERT_OK_AND_ASSIGN(const Derived derived, Derived::Make({Slot(2)}, {MakeOperation("chunk", {2, 0}).value()}, 1));
  ASSERT_TRUE(derived.view());
  EXPECT_EQ(derived.view()->data, checkpoint_->files()[0].bytes.data() + 10);
  EXPECT_THAT(Evaluated(derived), ElementsAre(10, 11));
}

TEST_F(DerivedTest, OperationsFollowThoseOfTheSlots) {
  ASSERT_OK_AND_ASSIGN(const Derived part, Derived::Make({Joined()}, {MakeOperation("chunk", {2, 0}).value()}, 1));
  EXPECT_FALSE(part.view());
  EXPECT_THAT(Evaluated(part), ElementsAre(6, 7, 8, 9, 10, 11));
  ASSERT_OK_AND_ASSIGN(const Derived whole,
                       Derived::Make({Joined(), Joined()}, {MakeOperation("concatenate", {1}).value()}, 0));
  EXPECT_EQ(whole.shape(), Shape({6, 4}));
  EXPECT_THAT(Evaluated(whole), testing::SizeIs(24));
}

TEST_F(DerivedTest, IsEqualForTheSameOperationsOverTheSameElements) {
  const Operation chunk = MakeOperation("chunk", {2, 0}).value();
  EXPECT_EQ(Derived(Slot(0)), Derived(Slot(0)));
  EXPECT_NE(Derived(Slot(0)), Derived(Slot(1)));
  EXPECT_EQ(Derived::Make({Slot(0)}, {chunk}, 0).value(), Derived::Make({Slot(0)}, {chunk}, 0).value());
  EXPECT_NE(Derived::Make({Slot(0)}, {chunk}, 0).value(), Derived::Make({Slot(0)}, {chunk}, 1).value());
}

TEST_F(DerivedTest, SlotsThatDoNotFitAreErrors) {
  EXPECT_THAT(Derived::Make({Slot(0)}, {MakeOperation("chunk", {3, 0}).value()}, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, "chunk(3, 0): 3 does not divide dimension 0 of [2, 2]"));
  EXPECT_THAT(
      Derived::Make({Slot(0), Zeros{{2, 2}, DType::kFloat32, ""}}, {MakeOperation("concatenate", {0}).value()}, 0),
      StatusIs(absl::StatusCode::kInvalidArgument, "the tensors have different dtypes: int8 and float32"));
}

}  // namespace
}  // namespace modelport
