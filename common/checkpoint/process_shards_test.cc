#include "common/checkpoint/process_shards.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ProcessShardsTest, KnowsTheClasses) {
  EXPECT_TRUE(IsShardClass("torch.distributed._shard.sharded_tensor.api.ShardedTensor"));
  EXPECT_TRUE(IsShardClass("torch.distributed.tensor.DTensor"));
  EXPECT_TRUE(IsShardClass("DTensor"));
  EXPECT_FALSE(IsShardClass("nets.MyDTensor"));
}

TEST(ProcessShardsTest, KnowsFlatParameters) {
  for (const char* key : {"_flat_param", "flat_param", "encoder._fsdp_wrapped_module._flat_param", "a.flat_param_12"}) {
    EXPECT_TRUE(IsFlatParameter(key)) << key;
  }
  for (const char* key : {"flat_param.weight", "flat_params", "flat_param_x", "inflat_param"}) {
    EXPECT_FALSE(IsFlatParameter(key)) << key;
  }
}

TEST(ProcessShardsTest, SaysHowToSaveTheWhole) {
  EXPECT_THAT(HoldsShards("w, a DTensor"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("holds w, a DTensor: the part of one process, as FSDP saves it"),
                             HasSubstr("full_state_dict=True"))));
}

}  // namespace
}  // namespace modelport
