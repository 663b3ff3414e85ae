#include "common/torchscript/parity/compare_reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using torch::jit::Module;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Sums of 1000 numbers of which none is exact in binary, and what else outputs may be made of.
Module Toy() {
  Module scale("Scale");
  scale.register_parameter("weight", at::full({1000}, 0.1), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
  Module toy("Toy");
  toy.register_module("scale", scale);
  toy.define(R"(
def forward(self, x: Tensor, masks: Optional[Tensor] = None, gain: float = 1.0) -> Dict[str, Tensor]:
  if masks is not None:
    x = x * masks
  x = self.scale.forward(x) * gain
  return {"sum": x.cumsum(-1), "aux.count": (x > 0).sum()}
def pair(self, x: Tensor, times: List[int]) -> Tuple[Tensor, List[Tensor]]:
  return x, [self.scale.forward(x), self.scale.forward(x)]
def fails(self, x: Tensor) -> Tensor:
  return x[1000000]
def single(self, x: Tensor) -> Tensor:
  return torch.matmul(x, torch.ones([1000], dtype=6))
def nothing(self, x: Tensor) -> Tensor:
  return x / 0
)");
  return toy;
}

at::Tensor X() { return at::linspace(0.1, 1, 1000); }

// The reference in which forward(X()) returned these.
Reference ToyReference() {
  Reference reference;
  reference.path = "r.safetensors";
  reference.arguments["x"] = X();
  const at::Tensor scaled = X() * at::full({1000}, 0.1);
  reference.expected = {
      {"output.sum", scaled.cumsum(-1)}, {"output.aux.count", at::scalar_tensor(1000, at::kLong)}, {"scale", scaled}};
  return reference;
}

std::vector<std::string> Failed(const ReferenceComparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (!tensor.passed()) names.push_back(tensor.name);
  }
  return names;
}

const ComparedTensor& Find(const ReferenceComparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.tensors.begin(), comparison.tensors.end(),
                                  [&](const ComparedTensor& tensor) { return tensor.name == name; });
  EXPECT_NE(found, comparison.tensors.end()) << name;
  return *found;
}

// The names of the tensors of `reference` that do not pass.
std::vector<std::string> FailedOf(const Reference& reference, absl::optional<double> tolerance = absl::nullopt) {
  const auto comparison = CompareReference(Toy(), reference, {.tolerance = tolerance});
  EXPECT_THAT(comparison, IsOk());
  return comparison.ok() ? Failed(*comparison) : std::vector<std::string>{"error"};
}

TEST(CompareReferenceTest, WhatTheModuleComputesPasses) {
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), ToyReference()));
  EXPECT_THAT(Failed(comparison), IsEmpty());
  ASSERT_EQ(comparison.tensors.size(), 3);
  EXPECT_EQ(comparison.tensors[0].name, "scale") << "in the order of execution";
  EXPECT_EQ(Find(comparison, "output.sum").shape, Shape({1000}));
  EXPECT_GT(Find(comparison, "output.sum").tolerance, 0);
  EXPECT_EQ(Find(comparison, "output.aux.count").tolerance, 0);
  EXPECT_THAT(comparison.unexpected, IsEmpty());
}

TEST(CompareReferenceTest, OneElementThatDiffersByMoreThanRoundingFails) {
  for (const auto& [index, name] :
       {std::pair(0, "output.sum"), std::pair(1, "output.aux.count"), std::pair(2, "scale")}) {
    Reference reference = ToyReference();
    at::Tensor& expected = reference.expected[index].second;
    expected.view(-1)[-1] +=
        expected.is_floating_point() ? at::Scalar(2e-3 * expected.max().item<double>()) : at::Scalar(1);
    EXPECT_THAT(FailedOf(reference), ElementsAre(name));
  }
}

TEST(CompareReferenceTest, RoundingPassesAndItsMeasureBoundsTheDifference) {
  Reference reference = ToyReference();
  at::Tensor& sum = reference.expected[0].second;
  const double largest = sum.max().item<double>();
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), reference));
  const double tolerance = Find(comparison, "output.sum").tolerance;
  EXPECT_GE(tolerance, 4e-6 * largest);
  EXPECT_LE(tolerance, 1e-3 * largest);
  sum[0] += 0.9 * tolerance;
  EXPECT_THAT(FailedOf(reference), IsEmpty());
  sum[0] += 0.2 * tolerance;
  EXPECT_THAT(FailedOf(reference), ElementsAre("output.sum"));
}

TEST(CompareReferenceTest, AGivenToleranceIsAPartOfTheLargestElement) {
  Reference reference = ToyReference();
  at::Tensor& sum = reference.expected[0].second;
  sum[0] += 0.05 * sum.max().item<double>();
  EXPECT_THAT(FailedOf(reference, 0.06), IsEmpty());
  EXPECT_THAT(FailedOf(reference, 0.04), ElementsAre("output.sum"));
  EXPECT_THAT(FailedOf(ToyReference(), 0.0), testing::Not(testing::Contains("output.aux.count")));
}

// However much the module magnifies rounding: this difference cancels all but its rounding.
TEST(CompareReferenceTest, ALargeMeasureOfRoundingIsNoLicence) {
  Module toy("Chaos");
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  return ((x + 1e6) - 1e6 - x) * 1e6\n");
  Reference reference;
  reference.arguments["x"] = X();
  reference.expected = {{"output", at::ones({1000})}};
  reference.noise["output"] = 1;
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(toy, reference));
  EXPECT_NEAR(comparison.tensors[0].tolerance, 1e-3, 1e-9);
  EXPECT_FALSE(comparison.tensors[0].passed());
}

// A camera whose focal length, in pixels, is far above the place of the principal point.
TEST(CompareReferenceTest, ElementsThatAreSmallByTheirKindAreComparedWithTheirKind) {
  Module camera("Camera");
  camera.define(R"(
def forward(self, x: Tensor) -> Tensor:
  K = torch.zeros([2, 3, 3], dtype=x.dtype)
  K[:, 0, 0] = x[0] * 3.5e8
  K[:, 1, 1] = x[0] * 3.5e8
  K[:, 0, 2] = x[0] * 140
  K[:, 1, 2] = x[0] * 280
  K[:, 2, 2] = 1
  return K
)");
  Reference reference;
  reference.path = "r.safetensors";
  reference.arguments["x"] = X();
  const auto expect = [&](double cx, double cy) {
    const double row = static_cast<double>(X()[0].item<float>());
    at::Tensor matrix = at::zeros({2, 3, 3});
    for (const auto& [i, j, value] : {std::tuple(0, 0, row * 3.5e8), std::tuple(1, 1, row * 3.5e8),
                                      std::tuple(0, 2, cx), std::tuple(1, 2, cy), std::tuple(2, 2, 1.0)}) {
      matrix.select(1, i).select(1, j).fill_(value);
    }
    reference.expected = {{"output", matrix}};
    const auto comparison = CompareReference(camera, reference);
    EXPECT_OK(comparison);
    return comparison.ok() ? comparison->tensors[0] : ComparedTensor();
  };
  EXPECT_TRUE(expect(14, 28).passed());
  const ComparedTensor swapped = expect(28, 14);
  EXPECT_LE(swapped.measures.max_abs, swapped.tolerance) << "the tensor's tolerance is that of focal lengths";
  EXPECT_THAT(swapped.obstacle, testing::StartsWith("at [:, 0, 2]: max diff 14, where the largest element is 28 and"));
}

TEST(WithKnobsTest, ACopyHasTheReferencesValues) {
  Module host("Host");
  host.register_attribute("gain", c10::FloatType::get(), 1.0);
  host.register_attribute("steps", c10::IntType::get(), int64_t{3});
  host.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.gain * self.steps\n");
  Reference reference = {.path = "r", .model = "m"};
  reference.knobs = {{"gain", int64_t{2}}};
  ASSERT_OK_AND_ASSIGN(Module changed, WithKnobs(host, reference));
  EXPECT_EQ(changed.forward({at::ones({1})}).toTensor().item<float>(), 6);
  EXPECT_EQ(host.forward({at::ones({1})}).toTensor().item<float>(), 3);
  reference.knobs = {{"gian", 2.0}};
  EXPECT_THAT(WithKnobs(host, reference), StatusIs(kInvalid, "r: no knob gian in the artifact; nearest: gain"));
  reference.knobs = {{"steps", 2.5}};
  EXPECT_THAT(WithKnobs(host, reference), StatusIs(kInvalid, "r: the knob steps wants int, has float"));
  reference.knobs = {{"training", true}};
  EXPECT_THAT(WithKnobs(host, reference), StatusIs(kInvalid, HasSubstr("no knob training")));
}

TEST(CompareReferenceTest, HalfPrecisionHasBoundsOfItsOwn) {
  for (const auto& [type, epsilon] : {std::pair(at::kHalf, 0x1p-10), std::pair(at::kBFloat16, 0x1p-7)}) {
    Module toy("Toy");
    toy.register_parameter("weight", at::full({1000}, 0.1, type), /*is_buffer=*/false);
    toy.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
    Reference reference;
    reference.arguments["x"] = X().to(type);
    at::Tensor expected = X().to(type) * at::full({1000}, 0.1, type);
    reference.expected = {{"output", expected}};
    const double largest = expected.max().item<double>();
    ASSERT_OK_AND_ASSIGN(ReferenceComparison comparison, CompareReference(toy, reference));
    EXPECT_TRUE(comparison.tensors[0].passed());
    EXPECT_GE(comparison.tensors[0].tolerance, epsilon * largest);
    EXPECT_LE(comparison.tensors[0].tolerance, 16 * epsilon * largest);
    expected[0] += 20 * epsilon * largest;
    ASSERT_OK_AND_ASSIGN(comparison, CompareReference(toy, reference));
    EXPECT_FALSE(comparison.tensors[0].passed());
  }
}

TEST(CompareReferenceTest, OtherShapesDtypesAndValuesThatAreNotFiniteFail) {
  Reference reference = ToyReference();
  reference.expected[0].second = reference.expected[0].second.unsqueeze(0);
  reference.expected[2].second = reference.expected[2].second.to(at::kDouble);
  ASSERT_OK_AND_ASSIGN(ReferenceComparison comparison, CompareReference(Toy(), reference, {.tolerance = 1e9}));
  EXPECT_EQ(Find(comparison, "output.sum").obstacle, "wants Float [1, 1000], has Float [1000]");
  EXPECT_EQ(Find(comparison, "scale").obstacle, "wants Double [1000], has Float [1000]");
  EXPECT_THAT(Failed(comparison), ElementsAre("scale", "output.sum"));

  reference = ToyReference();
  reference.method = "nothing";
  reference.expected = {{"output", X()}};
  ASSERT_OK_AND_ASSIGN(comparison, CompareReference(Toy(), reference, {.tolerance = 1e9}));
  EXPECT_EQ(comparison.tensors[0].obstacle, "1000 of 1000 elements are not finite");
  EXPECT_FALSE(comparison.tensors[0].passed());
}

TEST(CompareReferenceTest, ArgumentsAreConvertedAsTypedByTheMethod) {
  Reference reference = ToyReference();
  reference.arguments["gain"] = 2;  // An integer, as JSON may write it.
  reference.arguments["masks"] = at::ones({1000});
  EXPECT_THAT(FailedOf(reference), ElementsAre("output.sum"));
  for (auto& [name, tensor] : reference.expected) {
    if (name == "output.sum") tensor = tensor * 2;
  }
  EXPECT_THAT(FailedOf(reference), IsEmpty());
}

TEST(CompareReferenceTest, ElementsOfTuplesAndListsAreNamedByIndex) {
  Reference reference = ToyReference();
  reference.method = "pair";
  reference.arguments["times"] = std::vector<int64_t>{};
  reference.expected = {{"output.0", X()}, {"output.1.1", X() * at::full({1000}, 0.1)}};
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), reference));
  EXPECT_THAT(Failed(comparison), IsEmpty());
  EXPECT_THAT(comparison.unexpected, ElementsAre("output.1.0"));
}

// Changes the reference and expects CompareReference to fail so.
void ExpectError(void (*change)(Reference&), absl::StatusCode code, const std::string& message) {
  Reference reference = ToyReference();
  change(reference);
  EXPECT_THAT(CompareReference(Toy(), reference),
              StatusIs(code, testing::AllOf(testing::StartsWith("r.safetensors: "), HasSubstr(message))));
}

TEST(CompareReferenceTest, WhatDoesNotFitTheModuleIsNamed) {
  ExpectError([](Reference& r) { r.method = "forwrd"; }, kInvalid,
              "no method forwrd in the artifact; nearest: forward");
  ExpectError([](Reference& r) { r.arguments.erase("x"); }, kInvalid,
              "forward wants the argument x, a Tensor, which the file lacks");
  ExpectError([](Reference& r) { r.arguments["mask"] = X(); }, kInvalid,
              "forward has no argument mask; nearest: masks");
  ExpectError([](Reference& r) { r.arguments["x"] = 1.0; }, kInvalid,
              "the argument x of forward wants Tensor, has float");
  ExpectError([](Reference& r) { r.arguments["gain"] = X(); }, kInvalid,
              "the argument gain of forward wants float, has Tensor");
  ExpectError([](Reference& r) { r.arguments["x"] = X().to(at::kHalf); }, kInvalid,
              "input.x wants the dtype of the module's weights, Float, has Half");
  ExpectError([](Reference& r) { r.expected[0].first = "output.sun"; }, kInvalid,
              "forward returns no tensor output.sun; nearest: output.sum");
  ExpectError([](Reference& r) { r.expected[2].first = "scal"; }, kInvalid,
              "tensor scal is neither an input nor an output, and no submodule has this path; nearest: scale");
  ExpectError([](Reference& r) { r.method = "single"; }, absl::StatusCode::kNotFound, "nothing calls scale");
}

// Makes a reference of a method that returns one tensor.
void Call(const std::string& method, Reference& reference) {
  reference.method = method;
  reference.expected = {{"output", at::scalar_tensor(550.0, at::kFloat)}};
}

TEST(CompareReferenceTest, AModuleThatFailsIsAnError) {
  ExpectError([](Reference& r) { Call("fails", r); }, absl::StatusCode::kFailedPrecondition,
              "the module fails on these inputs: ");
}

TEST(CompareReferenceTest, AModuleThatDoesNotRunInFloat64WantsATolerance) {
  ExpectError([](Reference& r) { Call("single", r); }, absl::StatusCode::kFailedPrecondition,
              "a copy in float64, which measures rounding; --tolerance=NUMBER");
  Reference reference = ToyReference();
  Call("single", reference);
  EXPECT_THAT(FailedOf(reference, 1e-5), IsEmpty());
}

TEST(CompareReferenceTest, AStageThatIsCalledTwiceIsAnError) {
  ExpectError(
      [](Reference& r) {
        r.method = "pair";
        r.arguments["times"] = std::vector<int64_t>{1};
      },
      absl::StatusCode::kFailedPrecondition, "stage scale wants 1 call, is called 2 times");
}

TEST(CompareReferenceTest, CallsAndElementsOfStagesHaveNames) {
  Reference reference = ToyReference();
  reference.method = "pair";
  reference.arguments["times"] = std::vector<int64_t>{1};
  const at::Tensor scaled = X() * at::full({1000}, 0.1);
  reference.expected = {{"scale", scaled}, {"input of scale [1]", X()}, {"scale [1]", scaled * 2}};
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), reference));
  EXPECT_THAT(Failed(comparison), ElementsAre("scale [1]"));
}

TEST(CompareReferenceTest, AnInjectedStageReplacesTheModulesOwn) {
  Reference reference = ToyReference();
  // Upstream's scale is twice as large, and so is all that follows.
  for (auto& [name, tensor] : reference.expected) {
    if (name != "output.aux.count") tensor = tensor * 2;
  }
  EXPECT_THAT(FailedOf(reference), ElementsAre("scale", "output.sum"));
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), reference, {.inject = {"scale"}}));
  EXPECT_THAT(Failed(comparison), ElementsAre("scale"));
  EXPECT_THAT(CompareReference(Toy(), reference, {.inject = {"input of scale"}}),
              StatusIs(kInvalid, HasSubstr("has no tensor of input of scale to inject; known: scale")));
}

TEST(CompareReferenceTest, ASliceIsComparedWithTheSameSlice) {
  Reference reference = ToyReference();
  for (auto& [name, tensor] : reference.expected) {
    if (name == "scale") tensor = tensor.slice(0, 10, 500, 7);
  }
  EXPECT_THAT(FailedOf(reference), ElementsAre("scale"));
  reference.slices["scale"] = "[10:500:7]";
  EXPECT_THAT(FailedOf(reference), IsEmpty());
  ExpectError([](Reference& r) { r.slices["scale"] = "[:, :]"; }, kInvalid, "scale: the slice [:, :] does not fit");
}

TEST(CompareReferenceTest, ALenientComparisonTakesHalfPrecisionAndOtherStages) {
  Reference reference = ToyReference();
  reference.arguments["x"] = X().to(at::kHalf);
  for (auto& [name, tensor] : reference.expected) {
    if (tensor.is_floating_point()) tensor = tensor.to(at::kHalf);
  }
  reference.expected.emplace_back("dropout", X());
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison, CompareReference(Toy(), reference, {.lenient = true}));
  EXPECT_THAT(Failed(comparison), IsEmpty());
  EXPECT_THAT(comparison.not_computed, ElementsAre("dropout"));
}

// A large number that is added and taken away costs digits, which widens what is measured on the module, and neither
// what upstream measured nor what the number of operations allows.
TEST(CompareReferenceTest, WhatTheModulesOwnRoundingWidensIsBounded) {
  Module toy("Toy");
  toy.register_parameter("weight", at::full({1000}, 0.1), /*is_buffer=*/false);
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  return (x * self.weight + 300.0) - 300.0\n");
  Reference reference;
  reference.path = "r.safetensors";
  reference.arguments["x"] = X();
  reference.expected = {{"output", X() * at::full({1000}, 0.1)}};
  const auto failed = [&] {
    const auto comparison = CompareReference(toy, reference);
    EXPECT_THAT(comparison, IsOk());
    return comparison.ok() ? Failed(*comparison) : std::vector<std::string>{"error"};
  };
  EXPECT_THAT(failed(), ElementsAre("output"));
  reference.noise["output"] = 1e-9;
  EXPECT_THAT(failed(), ElementsAre("output"));
  reference.noise["output"] = 1;
  EXPECT_THAT(failed(), IsEmpty());
}

TEST(CompareReferenceTest, ALenientComparisonTakesEqualElementsInAnotherShape) {
  Reference reference = ToyReference();
  for (auto& [name, tensor] : reference.expected) {
    if (name != "output.aux.count") tensor = tensor.view({4, 250});
  }
  EXPECT_THAT(FailedOf(reference), ElementsAre("scale", "output.sum"));
  const auto compare = [&](bool inject_all) {
    auto comparison = CompareReference(Toy(), reference, {.lenient = true, .inject_all = inject_all});
    EXPECT_THAT(comparison, IsOk());
    return comparison.value_or(ReferenceComparison());
  };
  ReferenceComparison comparison = compare(/*inject_all=*/false);
  EXPECT_THAT(Failed(comparison), IsEmpty());
  EXPECT_EQ(Find(comparison, "scale").own_shape, Shape({1000}));
  EXPECT_EQ(Find(comparison, "output.aux.count").own_shape, Shape());
  comparison = compare(/*inject_all=*/true);
  EXPECT_THAT(Failed(comparison), IsEmpty());
  EXPECT_TRUE(Find(comparison, "scale").is_given);
  // In another order they are others.
  for (auto& [name, tensor] : reference.expected) {
    if (name == "scale") tensor = tensor.view({1000}).flip(0).view({4, 250});
  }
  EXPECT_EQ(Find(compare(/*inject_all=*/false), "scale").obstacle, "wants Float [4, 250], has Float [1000]");
}

TEST(CompareReferenceTest, WhatHasNoPlaceInTheModuleIsNotInjected) {
  Reference reference = ToyReference();
  for (auto& [name, tensor] : reference.expected) {
    if (name == "scale") tensor = tensor.slice(0, 0, 500);
  }
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison,
                       CompareReference(Toy(), reference, {.lenient = true, .inject_all = true}));
  EXPECT_THAT(Failed(comparison), ElementsAre("scale"));
  EXPECT_FALSE(Find(comparison, "scale").is_given);
}

// A port may hand something else on between its modules, such as rotations for positions.
TEST(CompareReferenceTest, AnotherFormBetweenModulesIsNoFaultIfTheOutputsPass) {
  Reference reference = ToyReference();
  for (auto& [name, tensor] : reference.expected) {
    if (name == "scale") tensor = tensor.slice(0, 0, 500);
  }
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison own, CompareReference(Toy(), reference, {.lenient = true}));
  EXPECT_THAT(Failed(own), IsEmpty());
  EXPECT_THAT(own.other_forms, ElementsAre(testing::Pair("scale", "wants Float [500], has Float [1000]")));
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison forced,
                       CompareReference(Toy(), reference, {.lenient = true, .own = &own, .inject_all = true}));
  EXPECT_THAT(Failed(forced), IsEmpty());
  // With a wrong output it is one.
  for (auto& [name, tensor] : reference.expected) {
    if (name == "output.sum") tensor = tensor + 1;
  }
  ASSERT_OK_AND_ASSIGN(const ReferenceComparison wrong, CompareReference(Toy(), reference, {.lenient = true}));
  EXPECT_THAT(Failed(wrong), testing::Contains("scale"));
  EXPECT_THAT(wrong.other_forms, IsEmpty());
}

TEST(CompareReferenceTest, ALenientComparisonPairsNoCallsOfWhichThereAreMore) {
  Reference reference = ToyReference();
  reference.method = "pair";
  reference.arguments["times"] = std::vector<int64_t>{1};
  reference.expected = {{"scale", X() * 7}, {"input of scale", X() * 7}, {"output.0", X()}};
  for (const bool inject_all : {false, true}) {
    ASSERT_OK_AND_ASSIGN(const ReferenceComparison comparison,
                         CompareReference(Toy(), reference, {.lenient = true, .inject_all = inject_all}));
    EXPECT_THAT(Failed(comparison), IsEmpty());
    EXPECT_THAT(comparison.other_calls, ElementsAre("scale: 2 calls, the reference has 1"));
    EXPECT_THAT(comparison.not_computed, IsEmpty());
  }
}

TEST(MeasureTest, DifferencesByHand) {
  const Measures measures = Measure(at::tensor({3.0, -4.0}), at::tensor({3.0, -4.5}));
  EXPECT_DOUBLE_EQ(measures.max_abs, 0.5);
  EXPECT_DOUBLE_EQ(measures.mean_abs, 0.25);
  EXPECT_DOUBLE_EQ(measures.scale, 4);
  EXPECT_DOUBLE_EQ(measures.relative(), 0.125);
  EXPECT_DOUBLE_EQ(measures.cosine, 27 / (5 * std::sqrt(29.25)));
  EXPECT_DOUBLE_EQ(measures.snr, 20);
}

TEST(MeasureTest, EqualAndEmptyTensors) {
  for (const at::Tensor& tensor : {at::ones({3}), at::zeros({3}), at::empty({0})}) {
    const Measures measures = Measure(tensor, tensor);
    EXPECT_EQ(measures.max_abs, 0);
    EXPECT_EQ(measures.relative(), 0);
    EXPECT_EQ(measures.cosine, 1);
    EXPECT_TRUE(std::isinf(measures.snr));
  }
}

TEST(MeasureTest, ElementsThatAreNotFiniteAreCountedAndDifferInfinitely) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Measures measures = Measure(at::ones({4}), at::tensor({1.0, std::nan(""), kInfinity, -kInfinity}));
  EXPECT_EQ(measures.nan, 1);
  EXPECT_EQ(measures.infinite, 2);
  EXPECT_EQ(measures.max_abs, kInfinity);
}

TEST(MeasureTest, IntegersThatAreEqualOnlyInFloat64Differ) {
  const int64_t large = int64_t{1} << 60;
  EXPECT_EQ(Measure(at::tensor({large}), at::tensor({large + 1})).max_abs, 1);
  EXPECT_EQ(Measure(at::tensor({large}), at::tensor({large})).max_abs, 0);
}

TEST(ToleranceTest, FollowsFromTheNoiseWithinBounds) {
  EXPECT_DOUBLE_EQ(Tolerance(1e-5, 1, at::kFloat), 4e-5);
  EXPECT_DOUBLE_EQ(Tolerance(0, 2, at::kFloat), 8e-6);
  EXPECT_DOUBLE_EQ(Tolerance(std::numeric_limits<double>::infinity(), 2, at::kFloat), 2e-3);
  EXPECT_DOUBLE_EQ(Tolerance(0, 1, at::kHalf), 0x1p-10);
  EXPECT_DOUBLE_EQ(Tolerance(1, 1, at::kHalf), 0x1p-6);
  EXPECT_DOUBLE_EQ(Tolerance(0, 1, at::kBFloat16), 0x1p-7);
  EXPECT_DOUBLE_EQ(Tolerance(1, 1, at::kBFloat16), 0x1p-3);
}

TEST(ToleranceTest, TheMostRoundingGrowsWithTheRootOfTheCalls) {
  EXPECT_DOUBLE_EQ(MostRounding(0, 2, at::kFloat), 0x1p-19);
  EXPECT_DOUBLE_EQ(MostRounding(99, 1, at::kFloat), 10 * 0x1p-20);
}

TEST(ToleranceTest, IntegersMustBeEqual) { EXPECT_EQ(Tolerance(1, 1, at::kLong), 0); }

TEST(SliceTest, TakesWhatNumpyTakes) {
  const at::Tensor tensor = at::arange(24).view({2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const at::Tensor slice, Slice(tensor, "[0:1, ::2, 1:]"));
  EXPECT_TRUE(slice.equal(at::tensor({1, 2, 3, 9, 10, 11}).view({1, 2, 3})));
  ASSERT_OK_AND_ASSIGN(const at::Tensor whole, Slice(tensor, ""));
  EXPECT_TRUE(whole.equal(tensor));
}

TEST(SliceTest, OtherFormsAreErrors) {
  for (const char* slice : {"0:1", "[0]", "[0:1:2:3]", "[::0]", "[-1:]", "[a:]", "[:, :]", "[]"}) {
    EXPECT_THAT(Slice(at::arange(3), slice), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("slice")))
        << slice;
  }
}

}  // namespace
}  // namespace modelport
