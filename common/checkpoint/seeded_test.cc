#include "common/checkpoint/seeded.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/digest/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

struct WeightsCase {
  std::string name;
  std::string key;
  Shape shape;
  uint64_t seed;
  std::vector<float> first;  // The first elements, from the Python implementation of the rule.
};

class SeededWeightsTest : public testing::TestWithParam<WeightsCase> {};

TEST_P(SeededWeightsTest, AgreesToTheBit) {
  std::vector<float> weights(*ElementCount(GetParam().shape));
  SeededWeights(GetParam().key, GetParam().shape, GetParam().seed, absl::MakeSpan(weights));
  weights.resize(GetParam().first.size());
  EXPECT_THAT(weights, ElementsAreArray(GetParam().first));
}

const WeightsCase kWeightsCases[] = {
    {"WeightSeed7",
     "blocks.0.attn.qkv.weight",
     {3, 2},
     7,
     {-0x1.38e73ap+0f, 0x1.94574ep-2f, -0x1.d92808p-2f, 0x1.4de062p-1f}},
    {"WeightSeed0",
     "blocks.0.attn.qkv.weight",
     {3, 2},
     0,
     {0x1.6b02b2p-2f, 0x1.1897dep+0f, -0x1.549336p-2f, -0x1.c8a584p-1f}},
    {"WeightRank4",
     "patch_embed.proj.weight",
     {2, 3, 2, 2},
     0,
     {0x1.90d03p-4f, 0x1.0386acp-2f, 0x1.0bcp-14f, -0x1.765ap-6f}},
    {"TokenWithPrefix",
     "model.backbone.cls_token",
     {1, 1, 4},
     0,
     {0x1.3d24p-3f, -0x1.d34eap-4f, 0x1.e27e1ap-6f, -0x1.25da5ap-4f}},
    {"Bias", "blocks.0.attn.qkv.bias", {4}, 0, {-0x1.94ff26p-4f, 0x1.2d422p-4f, -0x1.7a5c96p-4f, 0x1.6ca6acp-4f}},
    {"LeafEndsWithBias", "in_proj_bias", {4}, 0, {-0x1.0eeeacp-4f, -0x1.482ea6p-6f, -0x1.5bc2p-8f, -0x1.1e1766p-5f}},
    {"Gamma", "blocks.0.ls1.gamma", {4}, 0, {0x1.89f936p-2f, 0x1.1c70c6p-2f, 0x1.f6aa7cp-3f, 0x1.11cdb4p-2f}},
    {"GammaOfRank2", "gamma", {2, 2}, 0, {0x1.735ce4p-3f, -0x1.8739bap-4f, 0x1.ff8c0cp-4f, 0x1.4c5fa6p-3f}},
    {"VectorWeight", "norm.weight", {4}, 0, {0x1.184c7p+0f, 0x1.d407a6p-1f, 0x1.ee2f5p-1f, 0x1.fde492p-1f}},
    {"SeedNearTheLargest",
     "norm.weight",
     {4},
     std::numeric_limits<uint64_t>::max() - 2,
     {0x1.0abd64p+0f, 0x1.00d514p+0f, 0x1.ddb8ep-1f, 0x1.f5f34ap-1f}},
    {"RunningMean", "bn.running_mean", {4}, 0, {0x1.ba86ccp-5f, -0x1.110f4p-4f, -0x1.d008a6p-5f, 0x1.20cf3ap-4f}},
    {"RunningVar", "bn.running_var", {4}, 0, {0x1.d5d522p-1f, 0x1.06de56p+0f, 0x1.c8f998p-1f, 0x1.dc2d8ep-1f}},
    {"Scalar", "scale", {}, 0, {0x1.0cb8d8p+0f}},
    {"Zeros", "bn.num_batches_tracked", {2}, 0, {0, 0}},
};

INSTANTIATE_TEST_SUITE_P(Rule, SeededWeightsTest, testing::ValuesIn(kWeightsCases),
                         [](const auto& info) { return info.param.name; });

TEST(SeededFillTest, TakesCenterAndSpread) {
  std::vector<float> image(4);
  SeededFill("input:image", 0, 0.5, 0.5, absl::MakeSpan(image));
  EXPECT_THAT(image, ElementsAre(0x1.711f6p-5f, 0x1.10b8dcp-2f, 0x1.1608p-7f, 0x1.044ba8p-1f));
  SeededFill("input:image", 0, 0.0, 1.0, absl::MakeSpan(image));
  EXPECT_THAT(image, ElementsAre(-0x1.d1dc14p-1f, -0x1.de8e48p-2f, -0x1.f74fcp-1f, 0x1.12eap-6f));
}

TEST(SeededFillTest, SeveralThreadsFillAsOne) {
  std::vector<float> weights(1025 * 1024);
  SeededWeights("big.weight", {1025, 1024}, 1, absl::MakeSpan(weights));
  EXPECT_EQ(Sha256Of({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)}),
            "5bb33c5f7fe7dab0f4178c038fb94814fa79c77fad99455b0e65628b78f40715");
}

TEST(SeededCheckpointTest, HoldsTheKeys) {
  const Checkpoint checkpoint = MakeSeededCheckpoint({{"norm.weight", {4}}, {"empty", {0, 2}}, {"scale", {}}}, 3);
  EXPECT_EQ(checkpoint.path(), "seeded:v1:3");
  EXPECT_EQ(checkpoint.format(), "seeded");
  EXPECT_EQ(checkpoint.size(), 5 * sizeof(float));
  ASSERT_EQ(checkpoint.state_dicts().size(), 1);
  const StateDict& dict = checkpoint.state_dicts()[0];
  EXPECT_EQ(dict.path, "");
  ASSERT_EQ(dict.tensors.size(), 3);
  EXPECT_EQ(dict.tensors[2].key, "scale");
  std::vector<float> scale(1);
  SeededWeights("scale", {}, 3, absl::MakeSpan(scale));
  EXPECT_EQ(RowMajorBytes(checkpoint, dict.tensors[2]),
            std::string(reinterpret_cast<const char*>(scale.data()), sizeof(float)));
}

TEST(SeededCheckpointTest, KeysThatAreNotFloatingAreZeros) {
  const Checkpoint checkpoint = MakeSeededCheckpoint(
      {{"flag", {3}, DType::kBool}, {"a.weight", {2}}, {"steps", {2}, DType::kInt64}, {"b.weight", {1}}}, 0);
  const std::vector<CheckpointTensor>& tensors = checkpoint.state_dicts()[0].tensors;
  EXPECT_EQ(tensors[0].dtype, DType::kBool);
  EXPECT_EQ(RowMajorBytes(checkpoint, tensors[0]), std::string(3, '\0'));
  EXPECT_EQ(tensors[2].dtype, DType::kInt64);
  EXPECT_EQ(RowMajorBytes(checkpoint, tensors[2]), std::string(16, '\0'));
  std::vector<float> weight(1);
  SeededWeights("b.weight", {1}, 0, absl::MakeSpan(weight));
  EXPECT_EQ(RowMajorBytes(checkpoint, tensors[3]),
            std::string(reinterpret_cast<const char*>(weight.data()), sizeof(float)));
  for (const auto& storage : checkpoint.storages()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(storage.bytes.data()) % 8, 0);
  }
}

}  // namespace
}  // namespace modelport
