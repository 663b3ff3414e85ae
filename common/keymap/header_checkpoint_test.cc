#include "common/keymap/header_checkpoint.h"

#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(HeaderCheckpointTest, HoldsTheHeadersOfTheKeysInItsRoot) {
  const Checkpoint checkpoint =
      MakeHeaderCheckpoint("net.pth", std::vector<SeededKey>{{"a", {2, 3}}, {"b", {}, DType::kInt64}});
  EXPECT_EQ(checkpoint.path(), "net.pth");
  ASSERT_THAT(checkpoint.state_dicts(), SizeIs(1));
  EXPECT_EQ(checkpoint.state_dicts()[0].path, "");
  const std::vector<CheckpointTensor>& tensors = checkpoint.state_dicts()[0].tensors;
  ASSERT_THAT(tensors, SizeIs(2));
  EXPECT_EQ(tensors[0].key, "a");
  EXPECT_EQ(tensors[0].dtype, DType::kFloat32);
  EXPECT_EQ(tensors[0].shape, Shape({2, 3}));
  EXPECT_THAT(tensors[0].strides, ElementsAre(3, 1));
  EXPECT_EQ(tensors[1].dtype, DType::kInt64);
  EXPECT_EQ(tensors[1].shape, Shape());
}

TEST(HeaderCheckpointTest, HoldsWholeStateDicts) {
  const Checkpoint checkpoint = MakeHeaderCheckpoint("net.pth", std::vector<StateDict>{{"model", {}, {"also"}}});
  ASSERT_THAT(checkpoint.state_dicts(), SizeIs(1));
  EXPECT_EQ(checkpoint.state_dicts()[0].path, "model");
  EXPECT_THAT(checkpoint.state_dicts()[0].also, ElementsAre("also"));
}

}  // namespace
}  // namespace modelport
