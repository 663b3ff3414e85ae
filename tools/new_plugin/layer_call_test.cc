#include "tools/new_plugin/layer_call.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

struct Named {
  std::string name;
  Shape shape;
  DType dtype = DType::kFloat32;
};

// The call for a module of `tensors`, and whether it lacks the counter; empty if no layer has these tensors.
std::string Find(const std::vector<Named>& tensors) {
  std::deque<CheckpointTensor> owned;
  KeyNode module;
  for (const Named& tensor : tensors) {
    CheckpointTensor& added = owned.emplace_back();
    added.dtype = tensor.dtype;
    added.shape = tensor.shape;
    module.tensors.push_back({tensor.name, {tensor.name, &added}});
  }
  const absl::optional<LayerCall> layer = FindLayer(module);
  if (!layer) return "";
  std::vector<std::string> sizes;
  for (const SizedText::Size& size : layer->call.sizes) sizes.push_back(absl::StrCat(size.value));
  return absl::StrCat(layer->call.Filled(sizes), layer->lacks_counter ? " lacks the counter" : "");
}

TEST(LayerCallTest, Linear) {
  EXPECT_EQ(Find({{"weight", {5, 3}}, {"bias", {5}}}), "Linear(3, 5)");
  EXPECT_EQ(Find({{"weight", {5, 3}}}), "Linear(3, 5, bias=0)");
  EXPECT_EQ(Find({{"weight", {5, 3}, DType::kBFloat16}}), "Linear(3, 5, bias=0)");
}

TEST(LayerCallTest, Conv2d) {
  EXPECT_EQ(Find({{"bias", {8}}, {"weight", {8, 3, 7, 7}}}), "Conv2d(3, 8, kernel=7)");
  EXPECT_EQ(Find({{"weight", {8, 3, 1, 7}}}), "Conv2d(3, 8, kernel=1, kernel_w=7, bias=0)");
}

TEST(LayerCallTest, AConvolutionWhoseBiasHasTheSecondSizeIsTransposed) {
  EXPECT_EQ(Find({{"weight", {4, 8, 2, 2}}, {"bias", {8}}}), "ConvTranspose2d(4, 8, kernel=2, stride=2)");
  EXPECT_EQ(Find({{"weight", {4, 8, 2, 3}}, {"bias", {8}}}), "");
}

TEST(LayerCallTest, Norms) {
  EXPECT_EQ(Find({{"weight", {6}}, {"bias", {6}}}), "LayerNorm(6, eps=1e-5)");
  EXPECT_EQ(Find({{"gamma", {6}}}), "LayerScale(6)");
  const std::vector<Named> batch_norm = {{"weight", {6}}, {"bias", {6}}, {"running_mean", {6}}, {"running_var", {6}}};
  EXPECT_EQ(Find(batch_norm), "BatchNorm2d(6) lacks the counter");
  std::vector<Named> counted = batch_norm;
  counted.push_back({"num_batches_tracked", {}, DType::kInt64});
  EXPECT_EQ(Find(counted), "BatchNorm2d(6)");
  counted.back().dtype = DType::kInt32;
  EXPECT_EQ(Find(counted), "");
}

TEST(LayerCallTest, OtherModulesAreNoLayers) {
  const std::vector<std::vector<Named>> others = {
      {},
      {{"weight", {6}}},  // RMSNorm, PReLU.
      {{"weight", {}}},
      {{"weight", {6}}, {"bias", {5}}},
      {{"weight", {5, 3}}, {"bias", {3}}},
      {{"weight", {5, 3}}, {"bias", {5}}, {"scale", {5}}},
      {{"weight", {5, 3, 1}}},        // Conv1d.
      {{"weight", {5, 3, 1, 1, 1}}},  // Conv3d.
      {{"weight", {5, 3}, DType::kInt8}},
      {{"weight", {5, 3}}, {"bias", {5}, DType::kInt64}},
      {{"gamma", {1, 6}}},
      {{"running_mean", {6}}, {"running_var", {6}}},
      {{"weight", {6}}, {"bias", {6}}, {"running_mean", {6}}, {"running_var", {5}}},
  };
  for (size_t i = 0; i < others.size(); ++i) EXPECT_EQ(Find(others[i]), "") << i;
}

}  // namespace
}  // namespace modelport
