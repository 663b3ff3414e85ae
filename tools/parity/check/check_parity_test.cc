#include "tools/parity/check/check_parity.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/precision.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
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

TEST(FindNarrowingCastsTest, NamesTheModuleAndTheLine) {
  Module head("Head");
  head.define("def forward(self, x: Tensor) -> Tensor:\n  return x.to(5).to(x.dtype).to(6)\n");
  Module model("Model");
  model.register_parameter("weight", at::full({4}, 1.0), /*is_buffer=*/false);
  model.register_module("head", head);
  model.define("def forward(self, x: Tensor) -> Tensor:\n  return self.head.forward(x.to(4).to(15))\n");
  const std::vector<std::string> casts = FindNarrowingCasts(model);
  ASSERT_EQ(casts.size(), 2);
  EXPECT_THAT(casts[0], testing::MatchesRegex("the model itself( \\(.*:[0-9]+\\))?: bfloat16"));
  EXPECT_THAT(casts[1], testing::MatchesRegex("head( \\(.*:[0-9]+\\))?: float16"));
  model.to(at::kHalf);
  EXPECT_THAT(FindNarrowingCasts(model), testing::IsEmpty()) << "its weights have no more bits";
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

// Of what scale0 returns the reference has a slice, so that the root works on its own wrong tensor, and scale1 on the
// right one of the reference.
TEST(FindSuspectsTest, WhoWorksOnWhatCannotBeGivenIsNotJudged) {
  Reference reference = RightChain();
  for (auto& [name, tensor] : reference.expected) {
    if (name == "scale0") tensor = tensor.slice(0, 1, 3);
  }
  reference.slices["scale0"] = "[1:3]";
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison forced,
                       CompareReference(Chain(2.5, 3, 1), reference, {.lenient = true, .inject_all = true}));
  EXPECT_THAT(Paths(FindSuspects(forced, {})), ElementsAre("scale0"));
  EXPECT_THAT(FindUnjudged(forced), ElementsAre(""));
  EXPECT_THAT(FindUnjudged(CompareReference(Chain(2.5, 3, 1), RightChain(), {.lenient = true, .inject_all = true})
                               .value_or(ReferenceComparison())),
              ElementsAre());
}

TEST(ParityReportTest, AModelWithASuspectDoesNotPass) {
  ParityReport report;
  EXPECT_TRUE(report.passed());
  report.suspects.emplace();
  EXPECT_TRUE(report.passed());
  report.suspects->push_back({"scale0", {}});
  EXPECT_FALSE(report.passed());
}

TEST(FindSuspectsTest, ASettingThatDiffersNamesItsModule) {
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison forced,
                       CompareReference(Chain(2, 3, 1), RightChain(), {.lenient = true, .inject_all = true}));
  const std::vector<Suspect> suspects = FindSuspects(forced, {{"scale0", "eps", "1e-06", "1e-05"}});
  ASSERT_THAT(Paths(suspects), ElementsAre("scale0"));
  EXPECT_THAT(suspects[0].evidence, ElementsAre("eps is 1e-05, the reference has 1e-06"));
}

// net(x) = norm(head(norm(x), true)), head(y, half) = scale(y) * (half ? 0.5 : 1) + shift.
Module Net(double factor, double shift) {
  Module scale("Scale");
  scale.register_parameter("weight", at::full({4}, factor), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
  Module head("Head");
  head.register_module("scale", scale);
  head.register_parameter("bias", at::zeros({4}), /*is_buffer=*/false);
  head.register_attribute("shift", c10::FloatType::get(), shift);
  head.define(
      "def forward(self, x: Tensor, half: bool) -> Tensor:\n"
      "  y = self.scale.forward(x) + self.bias\n"
      "  return (y / 2 if half else y) + self.shift\n");
  Module norm("Norm");
  norm.define("def forward(self, x: Tensor) -> Tensor:\n  return x - x.mean()\n");
  Module net("Net");
  net.register_module("norm", norm);
  net.register_module("head", head);
  net.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  return self.norm.forward(self.head.forward(self.norm.forward(x), True))\n");
  return net;
}

Reference RightNet() {
  auto reference = RecordReference(Net(2, 1), "forward", {at::arange(4).to(at::kFloat)}, "r", "net");
  EXPECT_OK(reference);
  return *std::move(reference);
}

absl::optional<Stage> Found(const Module& module, const Reference& reference) {
  const auto forced = CompareReference(module, reference, {.lenient = true, .inject_all = true});
  EXPECT_OK(forced);
  return forced.ok() ? FindReduction(module, *forced, FindSuspects(*forced, {})) : absl::nullopt;
}

// Whether the submodule alone differs from its reference.
bool Differs(const Module& module, const Reference& reference) {
  const auto comparison = CompareReference(module, reference, {.lenient = true});
  EXPECT_OK(comparison);
  return comparison.ok() && FindDivergence(*comparison).has_value();
}

TEST(ReduceTest, TheSmallestSuspectIsCutOutWithItsInputsAndOutputs) {
  const Reference reference = RightNet();
  const Module wrong = Net(2.5, 1.5);  // The head is wrong, too, and holds more.
  const absl::optional<Stage> call = Found(wrong, reference);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(StageName(*call), "head.scale");
  ASSERT_OK_AND_ASSIGN(const Reduction reduction, Reduce(wrong, reference, *call));
  EXPECT_EQ(reduction.reference.model, "net head.scale");
  EXPECT_TRUE(Differs(*reduction.module, reduction.reference));
  EXPECT_FALSE(Differs(Net(2, 1).attr("head").toModule().attr("scale").toModule(), reduction.reference));
}

TEST(ReduceTest, ArgumentsThatAreNoTensorsAreThoseOfTheCall) {
  const Reference reference = RightNet();
  const Module wrong = Net(2, 1.5);
  const absl::optional<Stage> call = Found(wrong, reference);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(StageName(*call), "head");
  ASSERT_OK_AND_ASSIGN(const Reduction reduction, Reduce(wrong, reference, *call));
  EXPECT_TRUE(reduction.reference.arguments.at("half").toBool());
  EXPECT_THAT(reduction.reference.expected, Contains(Key("input of scale")));
  EXPECT_THAT(reduction.reference.settings, Contains(Key("scale")));
  EXPECT_TRUE(Differs(*reduction.module, reduction.reference));
  EXPECT_FALSE(Differs(Net(2, 1).attr("head").toModule(), reduction.reference));
}

TEST(ReduceTest, OneCallOfSeveralIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Reduction reduction,
                       Reduce(Net(2, 1), RightNet(), {.path = "norm", .method = "forward", .call = 1}));
  EXPECT_TRUE(reduction.reference.arguments.at("x").toTensor().equal(at::tensor({-0.5f, 0.5f, 1.5f, 2.5f})));
  EXPECT_FALSE(Differs(*reduction.module, reduction.reference));
}

TEST(ReduceTest, NothingIsFoundInARightModule) { EXPECT_FALSE(Found(Net(2, 1), RightNet()).has_value()); }

TEST(ReduceTest, ACallThatIsNotMadeIsAnError) {
  EXPECT_THAT(Reduce(Net(2, 1), RightNet(), {.path = "norm", .call = 2}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("r: nothing calls norm [2]")));
}

// A scale that half precision has exactly, and a difference of large numbers, which it has not.
Module Toy() {
  Module scale("Scale");
  scale.register_parameter("weight", at::full({4}, 2.0), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
  Module shift("Shift");
  shift.register_parameter("weight", at::full({2}, 4096.0), /*is_buffer=*/false);
  shift.define("def forward(self, x: Tensor) -> Tensor:\n  return (x + self.weight[0]) - self.weight[1]\n");
  Module toy("Toy");
  toy.register_module("scale", scale);
  toy.register_module("shift", shift);
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  return self.shift.forward(self.scale.forward(x))\n");
  return toy;
}

Reference Record() {
  auto reference = RecordReference(Toy(), "forward", {at::tensor({0.25f, 0.5f, 0.75f, 1.f})}, "toy", "toy");
  EXPECT_OK(reference);
  return *std::move(reference);
}

TEST(FindLossesTest, TheModuleThatLosesMostComesFirst) {
  ASSERT_OK_AND_ASSIGN(const auto losses, FindLosses(Toy(), Record(), at::kHalf));
  ASSERT_EQ(losses.size(), 3);
  EXPECT_EQ(losses[0].name, "output");
  EXPECT_EQ(losses[0].measures.max_abs, 0);
  EXPECT_EQ(losses[1].name, "shift");
  EXPECT_GT(losses[1].measures.relative(), 0.1);
  EXPECT_EQ(losses[2].measures.max_abs, 0);
}

// Between its submodules the model adds a number that float16 has not.
TEST(FindLossesTest, WhatIsLostBetweenSubmodulesIsTheModelsOwn) {
  Module sums("Sums");
  sums.register_module("scale", Toy().attr("scale").toModule());
  sums.define("def forward(self, x: Tensor) -> Tensor:\n  return self.scale.forward(x) + 100000.0\n");
  auto sum_reference = RecordReference(sums, "forward", {at::arange(4).to(at::kFloat)}, "r", "sums");
  ASSERT_OK(sum_reference);
  ASSERT_OK_AND_ASSIGN(const auto losses, FindLosses(sums, *sum_reference, at::kHalf));
  ASSERT_EQ(losses.size(), 2);
  EXPECT_EQ(losses[0].name, "output");
  EXPECT_GT(losses[0].measures.infinite, 0);
  EXPECT_EQ(losses[1].name, "scale");
  EXPECT_EQ(losses[1].measures.max_abs, 0);
}

TEST(FindMixedPrecisionTest, WhatMustStayInFloat32) {
  const Reference reference = Record();
  ASSERT_OK_AND_ASSIGN(const auto losses, FindLosses(Toy(), reference, at::kHalf));
  ASSERT_OK_AND_ASSIGN(const MixedPrecision mixed, FindMixedPrecision(Toy(), reference, at::kHalf, losses, 0.01));
  EXPECT_THAT(mixed.kept, testing::ElementsAre("shift"));
  EXPECT_EQ(mixed.error, 0);
  EXPECT_EQ(mixed.kept_elements, 2);
  EXPECT_EQ(mixed.elements, 6);
  EXPECT_EQ(mixed.runs, 4);
  ASSERT_OK_AND_ASSIGN(const MixedPrecision none, FindMixedPrecision(Toy(), reference, at::kHalf, losses, 10));
  EXPECT_THAT(none.kept, testing::IsEmpty());
  EXPECT_EQ(none.runs, 1);
}

// Of the block's three modules one loses nothing.
TEST(FindMixedPrecisionTest, OfABlockOnlyThoseStayThatLose) {
  const Module toy = Toy();
  Module block("Block");
  block.register_module("scale", toy.attr("scale").toModule());
  block.register_module("shift1", toy.attr("shift").toModule());
  block.register_module("shift2", toy.attr("shift").toModule().deepcopy());
  block.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  return self.scale.forward(self.shift1.forward(x)) - self.shift2.forward(x * 1.9)\n");
  Module outer("Outer");
  outer.register_module("block", block);
  outer.define("def forward(self, x: Tensor) -> Tensor:\n  return self.block.forward(x)\n");
  const auto reference = RecordReference(outer, "forward", {at::tensor({0.25f, 0.5f, 0.75f, 1.f})}, "outer", "outer");
  ASSERT_OK(reference);
  // As if the block lost most, and so were kept as a whole at first.
  ASSERT_OK_AND_ASSIGN(auto losses, FindLosses(outer, *reference, at::kHalf));
  std::stable_sort(losses.begin() + 1, losses.end(), [](const ComparedTensor& a, const ComparedTensor& b) {
    return a.point.stage.path == "block" && b.point.stage.path != "block";
  });
  ASSERT_OK_AND_ASSIGN(const MixedPrecision mixed, FindMixedPrecision(outer, *reference, at::kHalf, losses, 0.01));
  EXPECT_THAT(mixed.kept, testing::UnorderedElementsAre("block.shift1", "block.shift2"));
  EXPECT_LT(mixed.error, 0.01);
  EXPECT_EQ(mixed.kept_elements, 4);
}

}  // namespace
}  // namespace modelport
