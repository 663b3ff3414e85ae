#include "common/torchscript/parity/observe.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/jit/api/module.h>

#include <vector>

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

TEST(MapTensorsTest, ReplacesEachTensorAndNamesItsPlace) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("depth", at::ones({1}));
  dict.insert("aux.feat", at::ones({1}));
  const c10::IValue value =
      c10::ivalue::Tuple::create({dict, c10::List<at::Tensor>({at::ones({1}), at::ones({1})}), at::ones({1}), 5});
  std::vector<std::string> elements;
  const c10::IValue mapped = MapTensors(value, [&](const std::string& element, const at::Tensor& tensor) {
    elements.push_back(element);
    return at::zeros_like(tensor);
  });
  EXPECT_THAT(elements, testing::ElementsAre("0.depth", "0.aux.feat", "1.0", "1.1", "2"));
  const auto& items = mapped.toTupleRef().elements();
  EXPECT_EQ(items[0].toGenericDict().at("depth").toTensor().item<float>(), 0);
  EXPECT_EQ(items[1].toTensorVector()[1].item<float>(), 0);
  EXPECT_EQ(items[2].toTensor().item<float>(), 0);
  EXPECT_EQ(items[3].toInt(), 5);
  EXPECT_EQ(dict.at("depth").item<float>(), 1) << "the value itself stays as it is";
}

TEST(MapTensorsTest, ATensorIsTheElementWithoutAName) {
  MapTensors(at::ones({1}), [](const std::string& element, const at::Tensor& tensor) {
    EXPECT_EQ(element, "");
    return tensor;
  });
}

TEST(TypedCopyTest, FloatingTensorsOfEveryDepthGetTheDtypeAndTheModuleStaysAsItIs) {
  Module inner("Inner");
  inner.register_parameter("weight", at::full({2}, 3, at::kHalf), /*is_buffer=*/false);
  inner.register_buffer("count", at::full({}, 7, at::kLong));
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight + self.count\n");
  Module outer("Outer");
  outer.register_module("inner", inner);
  outer.register_buffer("scale", at::full({2}, 0.5));
  outer.define("def forward(self, x: Tensor) -> Tensor:\n  return self.inner.forward(x) * self.scale\n");

  Module copy = TypedCopy(outer, at::kDouble);
  EXPECT_EQ(copy.attr("scale").toTensor().scalar_type(), at::kDouble);
  const Module copied = copy.attr("inner").toModule();
  EXPECT_EQ(copied.attr("weight").toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(copied.attr("count").toTensor().scalar_type(), at::kLong);
  EXPECT_TRUE(copy.forward({at::ones({2}, at::kDouble)}).toTensor().equal(at::full({2}, 5, at::kDouble)));

  EXPECT_EQ(outer.attr("scale").toTensor().scalar_type(), at::kFloat);
  EXPECT_EQ(inner.attr("weight").toTensor().scalar_type(), at::kHalf);

  const Module partial = TypedCopy(outer, at::kDouble, [](absl::string_view path) { return path == "inner"; });
  EXPECT_EQ(partial.attr("scale").toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(partial.attr("inner").toModule().attr("weight").toTensor().scalar_type(), at::kHalf);
}

TEST(TypedCopyTest, FloatingTensorsInCollectionsGetTheDtype) {
  const c10::List<at::Tensor> list({at::ones({2}), at::ones({2}, at::kLong)});
  const std::vector<c10::IValue> copies = TypedCopy({list, 7}, at::kHalf);
  EXPECT_EQ(copies[0].toTensorVector()[0].scalar_type(), at::kHalf);
  EXPECT_EQ(copies[0].toTensorVector()[1].scalar_type(), at::kLong);
  EXPECT_EQ(copies[1].toInt(), 7);
}

}  // namespace
}  // namespace modelport
