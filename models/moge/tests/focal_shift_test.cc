// The camera that is recovered from points is the one that upstream's solve gives:
// models/moge/testdata/references/functions/focal_shift has smooth scenes, points of a random network and images
// without points, solved by microsoft/MoGe's recover_focal_shift with SciPy 1.14.1, the release that its requirements
// name.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/compilation_unit.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"

namespace modelport {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

struct Solution {
  double focal;
  double shift;
};

// Upstream rounds to float32 and sums in it.
void ExpectNear(double actual, double expected, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), 4e-6 * std::max(1.0, std::abs(expected))) << what;
}

class FocalShiftTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_moge"));
    ASSERT_OK(compiler_.AddFunctions(entry.plugin->library->functions()));
    ASSERT_OK_AND_ASSIGN(golden_, ReadTensors("models/moge/testdata/references/functions/focal_shift.safetensors"));
    ASSERT_GT(Count(), 0);
  }

  int64_t Count() { return golden_["points"].size(0); }
  double Golden(const std::string& name, int64_t i) { return golden_[name][i].item<double>(); }
  bool IsScene(int64_t i) { return golden_["is_scene"][i].item<bool>(); }

  Solution Solve(const at::Tensor& points, const at::Tensor& mask, double fov_x) {
    const c10::IValue fov = fov_x > 0 ? c10::IValue(fov_x) : c10::IValue();
    const c10::IValue result = (*compiler_.unit()->find_function("__torch__.modelport.recover_focal_shift"))(
        {points.unsqueeze(0), mask.unsqueeze(0), fov});
    const auto& parts = result.toTupleRef().elements();
    return {parts[0].toTensor().item<double>(), parts[1].toTensor().item<double>()};
  }

  Solution Solve(int64_t i) { return Solve(golden_["points"][i], golden_["mask"][i], Golden("fov_x", i)); }

  void ExpectUpstreams(const Solution& solution, int64_t i) {
    ExpectNear(solution.focal, Golden("focal", i), absl::StrCat("focal length ", i));
    ExpectNear(solution.shift, Golden("shift", i), absl::StrCat("shift ", i));
  }

  const c10::InferenceMode inference_;
  Compiler compiler_;
  Tensors golden_;
};

TEST_F(FocalShiftTest, IsUpstreams) {
  for (int64_t i = 0; i < Count(); ++i) ExpectUpstreams(Solve(i), i);
}

// As another processor may round them. The gain of the last step can be smaller than rounding.
TEST_F(FocalShiftTest, RoundingOfThePointsDoesNotDecideTheLastStep) {
  at::manual_seed(0);
  for (int64_t i = 0; i < Count(); ++i) {
    for (int draw = 0; draw < 5; ++draw) {
      const at::Tensor points = golden_["points"][i];
      const at::Tensor rounded = points * (1 + 6e-8 * (2 * at::rand_like(points) - 1));
      ExpectUpstreams(Solve(rounded, golden_["mask"][i], Golden("fov_x", i)), i);
    }
  }
}

// Upstream's solve stops as soon as a step gains less than a thousandth. That costs nothing where the points are those
// of a scene.
TEST_F(FocalShiftTest, OfASceneTheSolveHasConverged) {
  int scenes = 0;
  for (int64_t i = 0; i < Count(); ++i) {
    if (!IsScene(i)) continue;
    ++scenes;
    EXPECT_LE(std::abs(Solve(i).focal / Golden("converged_focal", i) - 1), 1e-5) << i;
  }
  EXPECT_GT(scenes, 5);
}

TEST_F(FocalShiftTest, WithoutTwoPointsNothingIsRecovered) {
  const at::Tensor points = golden_["points"][0];
  const Solution none = Solve(points, at::zeros({points.size(0), points.size(1)}, at::kBool), 0);
  EXPECT_EQ(none.focal, 1);
  EXPECT_EQ(none.shift, 0);
}

// Points that are no numbers, or all in one place, must not hang or fail.
TEST_F(FocalShiftTest, DegeneratePointsEnd) {
  const at::Tensor mask = at::ones({6, 8}, at::kBool);
  Solve(at::zeros({6, 8, 3}), mask, 0);
  Solve(at::full({6, 8, 3}, std::nan("")), mask, 0);
  Solve(at::full({6, 8, 3}, HUGE_VAL), mask, 60);
  Solve(at::ones({6, 8, 3}), mask, 0);
  // On the optical axis, where the focal length does not show.
  at::Tensor axis = at::zeros({6, 8, 3});
  axis.select(2, 2).fill_(1);
  Solve(axis, mask, 0);
}

}  // namespace
}  // namespace modelport
