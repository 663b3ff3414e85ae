#include "common/torchscript/parity/observe.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using torch::jit::Module;

// outer(x): x > 0 ? inner(x) + inner(2 * x) : x, inner(x) = x + 1; inner is called from a method of a submodule.
Module Outer() {
  Module inner("Inner");
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  return x + 1\n");
  Module middle("Middle");
  middle.register_module("inner", inner);
  middle.define(R"(
def both(self, x: Tensor) -> Tuple[Tensor, Tensor]:
  return self.inner.forward(x), self.inner.forward(2 * x)
)");
  Module outer("Outer");
  outer.register_module("middle", middle);
  outer.define(R"(
def total(self, x: Tensor, times: int = 1) -> Dict[str, Tensor]:
  a, b = self.middle.both(x)
  y = a + b
  y.add_(0)
  return {"sum": y * times, "a": a.zero_()}
def forward(self, x: Tensor) -> Tensor:
  if bool(x > 0):
    x = self.total(x)["sum"]
  return x
)");
  return outer;
}

absl::StatusOr<NamedTensors> CaptureAll(const std::string& method, double x) {
  return CaptureTensors(Outer(), method, {at::full({}, x)}, [](const ObservedTensor&) { return true; });
}

std::vector<std::pair<std::string, float>> Items(const NamedTensors& tensors) {
  std::vector<std::pair<std::string, float>> items;
  for (const auto& [name, tensor] : tensors) items.emplace_back(name, tensor.item<float>());
  return items;
}

TEST(CaptureTensorsTest, EveryCallIsCapturedInTheOrderOfExecutionAlsoInsideOfBranches) {
  ASSERT_OK_AND_ASSIGN(const NamedTensors captured, CaptureAll("forward", 3));
  EXPECT_THAT(Items(captured),
              ElementsAre(std::pair("input of total()", 3), std::pair("input of middle.both()", 3),
                          std::pair("input of middle.inner", 3), std::pair("middle.inner", 4),
                          std::pair("input of middle.inner [1]", 6), std::pair("middle.inner [1]", 7),
                          std::pair("middle.both() -> 0", 4), std::pair("middle.both() -> 1", 7),
                          std::pair("total() -> sum", 11), std::pair("total() -> a", 0), std::pair("output", 11)));
}

TEST(CaptureTensorsTest, ABranchThatIsNotTakenCapturesNothing) {
  ASSERT_OK_AND_ASSIGN(const NamedTensors captured, CaptureAll("forward", -3));
  EXPECT_THAT(Items(captured), ElementsAre(std::pair("output", -3)));
}

TEST(CaptureTensorsTest, ResultsAreNamedByElementAndDefaultArgumentsAreFilledIn) {
  ASSERT_OK_AND_ASSIGN(const NamedTensors captured, CaptureAll("total", 3));
  EXPECT_EQ(FindTensor(captured, "output.sum")->item<float>(), 11);
  EXPECT_EQ(FindTensor(captured, "output"), nullptr);
}

TEST(CaptureTensorsTest, AnUnknownMethodAndAModuleThatFailsAreErrors) {
  EXPECT_THAT(CaptureAll("backward", 1), StatusIs(absl::StatusCode::kNotFound, "no method backward"));
  EXPECT_THAT(CaptureTensors(Outer(), "forward", {at::ones({2})}, [](const ObservedTensor&) { return true; }),
              StatusIs(absl::StatusCode::kInternal, testing::HasSubstr("ambiguous")));
}

TEST(RunObservedTest, TheTensorThatIsReturnedPassesInThePlaceOfTheOther) {
  std::string caller;
  ASSERT_OK_AND_ASSIGN(
      const c10::IValue result,
      RunObserved(Outer(), "forward", {at::full({}, 3.0)}, [&](const ObservedTensor& point, const at::Tensor& tensor) {
        if (point.name == "input of middle.inner [1]") caller = point.caller;
        return point.name == "middle.inner [1]" ? at::full({}, 100.0) : tensor;
      }));
  EXPECT_EQ(result.toTensor().item<float>(), 104);
  EXPECT_EQ(caller, "middle");
}

TEST(RunObservedTest, TheModuleStaysAsItIs) {
  const Module outer = Outer();
  const std::string before = outer.get_method("forward").graph()->toString();
  ASSERT_OK(RunObserved(outer, "forward", {at::ones({})}, [](const ObservedTensor&, const at::Tensor& tensor) {
              return tensor;
            }).status());
  EXPECT_EQ(outer.get_method("forward").graph()->toString(), before);
}

TEST(RunObservedTest, ACallThatIsReplacedIsNeitherMadeNorObserved) {
  std::vector<std::string> calls, points;
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    points.push_back(point.name);
    return tensor;
  };
  const auto observe_call = [&](const Stage& call, const std::vector<c10::IValue>& arguments) {
    calls.push_back(StageName(call));
    EXPECT_TRUE(arguments.at(0).isTensor());
    const bool is_first = call.path == "middle.inner" && call.call == 0;
    // The second one returns a tuple: it is made in any case.
    return is_first || call.method == "both" ? at::full({}, 10.0) : at::Tensor();
  };
  ASSERT_OK_AND_ASSIGN(const c10::IValue result,
                       RunObserved(Outer(), "forward", {at::full({}, 3.0)}, observe, observe_call));
  EXPECT_EQ(result.toTensor().item<float>(), 17);
  EXPECT_THAT(calls, ElementsAre("total()", "middle.both()", "middle.inner", "middle.inner [1]"));
  EXPECT_THAT(points,
              ElementsAre("input of total()", "input of middle.both()", "input of middle.inner [1]", "middle.inner [1]",
                          "middle.both() -> 0", "middle.both() -> 1", "total() -> sum", "total() -> a", "output"));
}

}  // namespace
}  // namespace modelport
