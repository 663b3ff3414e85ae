#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <torch/csrc/jit/api/module.h>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torch::jit::Module;

// A chain of two scales, whose second one gets `shift` added to its input.
Module Chain(double first, double second, double shift) {
  Module chain("Chain");
  int i = 0;
  for (const double factor : {first, second}) {
    Module scale("Scale" + std::to_string(i));
    scale.register_parameter("weight", at::full({4}, factor), /*is_buffer=*/false);
    scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
    chain.register_module("scale" + std::to_string(i++), scale);
  }
  chain.register_attribute("shift", c10::FloatType::get(), shift);
  chain.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  return self.scale1.forward(self.scale0.forward(x) + self.shift)\n");
  return chain;
}

Reference RightChain() {
  auto reference = RecordReference(Chain(2, 3, 1), "forward", {at::arange(4).to(at::kFloat)}, "r", "chain");
  EXPECT_OK(reference);
  return *std::move(reference);
}

std::vector<Suspect> Suspects(const Module& module, const Reference& reference) {
  const auto forced = CompareReference(module, reference, {.lenient = true, .inject_all = true});
  EXPECT_OK(forced);
  return forced.ok() ? FindSuspects(*forced, {}) : std::vector<Suspect>{};
}

std::vector<std::string> Paths(const std::vector<Suspect>& suspects) {
  std::vector<std::string> paths;
  for (const Suspect& suspect : suspects) paths.push_back(suspect.path);
  return paths;
}

TEST(FindDivergenceTest, TheFirstStageAndTheDeepestModuleWithRightInputs) {
  const struct {
    Module module;
    const char* stage;
    const char* path;
  } kCases[] = {{Chain(2.5, 3, 1), "scale0", "scale0"},
                {Chain(2, 3.5, 1), "scale1", "scale1"},
                {Chain(2, 3, 1.5), "input of scale1", ""}};
  for (const auto& [module, stage, path] : kCases) {
    ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(module, RightChain()));
    const auto divergence = FindDivergence(comparison);
    ASSERT_TRUE(divergence);
    EXPECT_EQ(divergence->stage, stage);
    EXPECT_EQ(divergence->module, std::string(path));
  }
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Chain(2, 3, 1), RightChain()));
  EXPECT_FALSE(FindDivergence(comparison));
}

TEST(FindSuspectsTest, EachModuleThatIsWrongOnRightInput) {
  EXPECT_THAT(Paths(Suspects(Chain(2, 3, 1), RightChain())), ElementsAre());
  EXPECT_THAT(Paths(Suspects(Chain(2.5, 3, 1), RightChain())), ElementsAre("scale0"));
  EXPECT_THAT(Paths(Suspects(Chain(2.5, 3.5, 1), RightChain())), ElementsAre("scale0", "scale1"));
  const std::vector<Suspect> root = Suspects(Chain(2, 3, 1.5), RightChain());
  ASSERT_THAT(Paths(root), ElementsAre(""));
  EXPECT_THAT(root[0].evidence, ElementsAre(HasSubstr("passes on input of scale1: max diff 0.5, tolerance ")));
  EXPECT_TRUE(root[0].inputs_are_known);
}

TEST(FindSuspectsTest, WithoutInputsTheCallerMayBeAtFaultToo) {
  Reference reference = RightChain();
  std::erase_if(reference.expected, [](const auto& named) { return named.first == "input of scale1"; });
  const std::vector<Suspect> suspects = Suspects(Chain(2, 3, 1.5), reference);
  ASSERT_THAT(Paths(suspects), ElementsAre("scale1"));
  EXPECT_FALSE(suspects[0].inputs_are_known);
}

TEST(FindSuspectsTest, ASettingThatDiffersNamesItsModule) {
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison forced,
                       CompareReference(Chain(2, 3, 1), RightChain(), {.lenient = true, .inject_all = true}));
  const std::vector<Suspect> suspects = FindSuspects(forced, {{"scale0", "eps", "1e-06", "1e-05"}});
  ASSERT_THAT(Paths(suspects), ElementsAre("scale0"));
  EXPECT_THAT(suspects[0].evidence, ElementsAre("eps is 1e-05, the reference has 1e-06"));
}

}  // namespace
}  // namespace modelport
