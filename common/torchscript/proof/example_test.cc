#include "common/torchscript/proof/example.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/library.h>

#include <string>
#include <vector>

#include "common/expression/expression.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/testing/ignore_leaks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

bool optimises_in_example = true;

// Records whether LibTorch optimises the graph that calls it.
at::Tensor Observe(const at::Tensor& x) {
  optimises_in_example = torch::jit::getGraphExecutorOptimize();
  return x.clone();
}

TORCH_LIBRARY_FRAGMENT(aten, m) { m.def("modelport_observe(Tensor x) -> Tensor", &Observe); }

// Of the namespace that Modelport compiles plugins into.
torch::jit::Module ExampleNet() {
  torch::jit::Module net("__torch__.modelport.Net");
  net.define(R"(
    def forward(self, x: Tensor, taps: List[int] = [0], scale: float = 1.0, name: Optional[str] = None) -> Tensor:
      return x * scale + taps[0]

    def divide(self, a: int, b: int) -> int:
      return a % b

    def fail(self, x: Tensor) -> Tensor:
      assert x.dim() == 7, "wants seven dimensions"
      return x

    def observe(self, x: Tensor) -> Tensor:
      return torch.modelport_observe(x)
  )");
  return net;
}

absl::StatusOr<c10::IValue> RunCall(const std::string& call) { return RunExample(ExampleNet(), *ParseCall(call)); }

TEST(ExampleInputsTest, AListIsAShapeForATensorOnly) {
  ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> inputs,
                       ExampleInputs(ExampleNet(), *ParseCall("forward([1, 3], [2, 5], 0.5, \"a\")")));
  ASSERT_THAT(inputs, SizeIs(4));
  EXPECT_EQ(inputs[0].toTensor().sizes(), at::IntArrayRef({1, 3}));
  EXPECT_EQ(inputs[1].toIntVector(), std::vector<int64_t>({2, 5}));
  EXPECT_EQ(inputs[2].toDouble(), 0.5);
  EXPECT_EQ(inputs[3].toStringRef(), "a");
}

TEST(RunExampleTest, GivesTheResult) {
  ASSERT_OK_AND_ASSIGN(const c10::IValue output, RunCall("forward([2, 3], [1])"));
  EXPECT_EQ(output.toTensor().sizes(), at::IntArrayRef({2, 3}));
  EXPECT_OK(RunCall("forward([0, 3])"));
}

TEST(RunExamplesTest, TheOptimiserIsOffForTheExamplesOnly) {
  ASSERT_TRUE(torch::jit::getGraphExecutorOptimize());
  EXPECT_OK(RunExamples(ExampleNet(), {*ParseCall("observe([2, 3])")}));
  EXPECT_FALSE(optimises_in_example);
  EXPECT_TRUE(torch::jit::getGraphExecutorOptimize());
  EXPECT_TRUE(torch::jit::getProfilingMode());
}

TEST(RunExamplesTest, TheOptimiserIsRestoredAfterAFailedExample) {
  EXPECT_FALSE(RunExamples(ExampleNet(), {*ParseCall("fail([1])")}).ok());
  EXPECT_TRUE(torch::jit::getGraphExecutorOptimize());
}

struct ErrorCase {
  std::string call;
  std::string error;  // After "example CALL: ".
};

class ExampleErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ExampleErrorTest, NamesTheExample) {
  EXPECT_THAT(RunCall(GetParam().call),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("example " + GetParam().call + ": "), HasSubstr(GetParam().error))));
}

INSTANTIATE_TEST_SUITE_P(
    All, ExampleErrorTest,
    testing::Values(
        ErrorCase{"nothing([1])", "no method nothing; known: "},
        ErrorCase{"forward([1, 3, -28, 42])", "x wants a shape of sizes that are not negative"},
        ErrorCase{"forward([4294967296, 4294967296])", "at most 100000000 elements, has [4294967296, 42949"},
        ErrorCase{"forward([4611686018427387904])", "at most 100000000 elements, has [4611686018427387904]"},
        ErrorCase{"forward([100000001])", "at most 100000000 elements, has [100000001]"},
        ErrorCase{"forward()", "missing value for argument 'x'"},
        ErrorCase{"forward(1)", "Expected a value of type 'Tensor' for argument 'x'"},
        ErrorCase{"forward(0.5)", "forward(Net self, Tensor x"},
        ErrorCase{"forward(\"x\")", "Expected a value of type 'Tensor' for argument 'x'"},
        ErrorCase{"forward([1], 0.5)", "Expected a value of type 'List[int]' for argument 'taps'"},
        ErrorCase{"forward([1], [1], 1.0, \"n\", 5)", "forward takes 4 arguments, given by position"},
        ErrorCase{"forward(x=[1])", "forward takes 4 arguments, given by position"},
        ErrorCase{"forward([1], [])", "list index out of range"}, ErrorCase{"fail([1])", "wants seven dimensions"}));

TEST(RunExampleTest, AnIntegerDivisionByZeroIsAnError) {
  [[maybe_unused]] const IgnoreLeaks ignore_leaks;
  EXPECT_THAT(RunCall("divide(7, 0)"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                StartsWith("example divide(7, 0): an integer division by zero")));
}

}  // namespace
}  // namespace modelport
