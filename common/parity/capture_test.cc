#include "common/parity/capture.h"

#include <ATen/Functions.h>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using torch::jit::Module;

// outer(x): x > 0 ? twice(inner(x)) + inner(x) : x, inner(x) = x + 1; inner is called from a method of a submodule.
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
def total(self, x: Tensor, times: int = 1) -> Tensor:
  a, b = self.middle.both(x)
  return (a + b) * times
def forward(self, x: Tensor) -> Tensor:
  if bool(x > 0):
    x = self.total(x)
  return x
)");
  return outer;
}

Stage Parse(absl::string_view text) {
  auto stage = ParseStage(text);
  EXPECT_OK(stage);
  return *stage;
}

float Item(const c10::IValue& value) { return value.toTensor().item<float>(); }

TEST(ParseStageTest, PathsMethodsAndInputs) {
  EXPECT_EQ(Parse("blocks.2").path, "blocks.2");
  EXPECT_EQ(Parse("blocks.2").method, "forward");
  EXPECT_EQ(Parse("pretrained.prepare()").path, "pretrained");
  EXPECT_EQ(Parse("pretrained.prepare()").method, "prepare");
  EXPECT_EQ(Parse("prepare()").path, "");
  EXPECT_EQ(Parse("input of head.conv").side, Stage::Side::kInput);
  EXPECT_EQ(Parse("input of head.conv").path, "head.conv");
  EXPECT_FALSE(ParseStage("").ok());
}

TEST(RunAndCaptureTest, EveryCallIsCapturedAlsoInsideOfBranches) {
  ASSERT_OK_AND_ASSIGN(const Captured captured,
                       RunAndCapture(Outer(), "forward", {at::full({}, 3.0)},
                                     {Parse("middle.inner"), Parse("input of middle.inner"), Parse("middle.both()")}));
  EXPECT_EQ(Item(captured.result), 11);
  ASSERT_EQ(captured.captures[0].size(), 2u);
  EXPECT_EQ(Item(captured.captures[0][0]), 4);
  EXPECT_EQ(Item(captured.captures[0][1]), 7);
  EXPECT_EQ(Item(captured.captures[1][1]), 6);
  EXPECT_EQ(Item(captured.captures[2][0].toTupleRef().elements()[1]), 7);
}

TEST(RunAndCaptureTest, ABranchThatIsNotTakenCapturesNothing) {
  ASSERT_OK_AND_ASSIGN(const Captured captured,
                       RunAndCapture(Outer(), "forward", {at::full({}, -3.0)}, {Parse("middle.inner")}));
  EXPECT_EQ(Item(captured.result), -3);
  EXPECT_TRUE(captured.captures[0].empty());
}

TEST(RunAndCaptureTest, DefaultArgumentsAreFilledIn) {
  ASSERT_OK_AND_ASSIGN(const Captured captured, RunAndCapture(Outer(), "total", {at::full({}, 3.0)}, {}));
  EXPECT_EQ(Item(captured.result), 11);
}

TEST(RunAndCaptureTest, UnknownStagesAndMethodsAreErrors) {
  EXPECT_THAT(RunAndCapture(Outer(), "forward", {at::ones({})}, {Parse("middle.outer")}),
              StatusIs(absl::StatusCode::kNotFound, "nothing calls middle.outer.forward()"));
  EXPECT_THAT(RunAndCapture(Outer(), "backward", {at::ones({})}, {}),
              StatusIs(absl::StatusCode::kNotFound, "no method backward"));
}

TEST(RunAndCaptureTest, TheModuleStaysAsItIs) {
  const Module outer = Outer();
  const std::string before = outer.get_method("forward").graph()->toString();
  ASSERT_OK(RunAndCapture(outer, "forward", {at::ones({})}, {Parse("middle.inner")}));
  EXPECT_EQ(outer.get_method("forward").graph()->toString(), before);
}

}  // namespace
}  // namespace modelport
