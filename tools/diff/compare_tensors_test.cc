#include "tools/diff/compare_tensors.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
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

}  // namespace
}  // namespace modelport
