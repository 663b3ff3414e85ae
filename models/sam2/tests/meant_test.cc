// Which of the four masks SAM 2's method `meant` takes: sam2/modeling/sam/mask_decoder.py, with a delta of 0.05 and a
// threshold of 0.98, and for a single point what the notebooks of upstream do.
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

// A mask of 10 x 10 pixels, of which `inside` are far above 0, `near` between -0.05 and 0.05, and the others far below.
at::Tensor Mask(int inside, int near) {
  at::Tensor mask = at::full({100}, -5.0);
  mask.slice(0, 0, inside).fill_(5);
  mask.slice(0, inside, inside + near).fill_(0.04);
  return mask.reshape({1, 1, 10, 10});
}

// Masks 1 to 3 are the numbers 1 to 3 everywhere.
at::Tensor Masks(const at::Tensor& first) {
  at::Tensor masks = at::full({1, 4, 10, 10}, 0.0);
  masks.slice(1, 0, 1).copy_(first);
  for (int i = 1; i < 4; ++i) masks.slice(1, i, i + 1).fill_(i);
  return masks;
}

class MeantTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ASSERT_OK_AND_ASSIGN(module_, ExportSeeded(registry, "tiny_sam2", /*seed=*/0));
  }

  at::Tensor Meant(const at::Tensor& masks, const std::vector<float>& iou, const std::vector<float>& labels) {
    const int64_t batch = masks.size(0);
    return module_
        .get_method("meant")({masks, at::tensor(iou).reshape({batch, 4}), at::tensor(labels).reshape({batch, -1})})
        .toTensor();
  }

  torch::jit::Module module_;
};

TEST_F(MeantTest, OfASinglePointTheBestOfThree) {
  const at::Tensor masks = Masks(Mask(50, 0));
  // Mask 0 does not count, however good it is said to be; a point of label -1 is none.
  EXPECT_TRUE(Meant(masks, {0.9f, 0.1f, 0.5f, 0.2f}, {1}).equal(masks.slice(1, 2, 3)));
  EXPECT_TRUE(Meant(masks, {0.9f, 0.1f, 0.2f, 0.5f}, {1, -1}).equal(masks.slice(1, 3, 4)));
  EXPECT_TRUE(Meant(masks, {0.9f, 0.5f, 0.2f, 0.1f}, {0}).equal(masks.slice(1, 1, 2)));
}

TEST_F(MeantTest, OfSeveralTheFirstWhereItIsClear) {
  const std::vector<float> iou = {0.1f, 0.2f, 0.9f, 0.3f};
  // 49 of 50 pixels are the threshold.
  const at::Tensor clear = Masks(Mask(49, 1)), unclear = Masks(Mask(48, 2)), empty = Masks(Mask(0, 0));
  EXPECT_TRUE(Meant(clear, iou, {1, 0}).equal(clear.slice(1, 0, 1)));
  EXPECT_TRUE(Meant(unclear, iou, {1, 0}).equal(unclear.slice(1, 2, 3)));
  EXPECT_TRUE(Meant(empty, iou, {2, 3}).equal(empty.slice(1, 0, 1)));
}

TEST_F(MeantTest, EachImageOfABatchHasItsOwn) {
  const at::Tensor masks = at::cat({Masks(Mask(50, 0)), Masks(Mask(50, 0)), Masks(Mask(10, 10))});
  const at::Tensor meant =
      Meant(masks, {0, 0.1f, 0.2f, 0.3f, 0, 0.3f, 0.2f, 0.1f, 0, 0.1f, 0.3f, 0.2f}, {1, 1, 1, -1, 2, 3});
  EXPECT_TRUE(meant[0].equal(masks[0].slice(0, 0, 1)));
  EXPECT_TRUE(meant[1].equal(masks[1].slice(0, 1, 2)));
  EXPECT_TRUE(meant[2].equal(masks[2].slice(0, 2, 3)));
}

}  // namespace
}  // namespace modelport
