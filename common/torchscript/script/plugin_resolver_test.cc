#include "common/torchscript/script/plugin_resolver.h"

#include <ATen/ops/full.h>
#include <torch/csrc/jit/api/compilation_unit.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// Compiles the functions in `text` and calls the last of them, `f`, with the tensor [4].
absl::StatusOr<at::Tensor> CallF(const std::string& text, const HasOperator& has_operator = CompilerHasOperator) {
  return CatchTorch([&] {
    torch::jit::CompilationUnit unit;
    const auto resolver = std::make_shared<PluginResolver>(has_operator);
    resolver->AddFunction(
        "twice", unit.define(std::nullopt, "def twice(x: Tensor) -> Tensor:\n  return x + x\n", resolver, nullptr)[0]);
    unit.define(std::nullopt, text, resolver, nullptr);
    return unit.get_function("f")({at::full({1}, 4.0)}).toTensor();
  });
}

absl::StatusOr<at::Tensor> RunReturn(const std::string& expression) {
  return CallF("def f(x: Tensor) -> Tensor:\n  return " + expression + "\n");
}

TEST(PluginResolverTest, ResolvesOperatorsDTypesMathAndFunctions) {
  ASSERT_OK_AND_ASSIGN(const at::Tensor bytes, RunReturn("x.to(torch.uint8)"));
  EXPECT_EQ(bytes.scalar_type(), at::kByte);
  ASSERT_OK_AND_ASSIGN(const at::Tensor result, RunReturn("twice(torch.sqrt(x)).to(torch.float64) + math.sqrt(9.0)"));
  EXPECT_EQ(result.scalar_type(), at::kDouble);
  EXPECT_EQ(result.item<double>(), 7);
}

TEST(PluginResolverTest, HasOperatorDecidesWhichBranchIsCompiled) {
  const std::string text = R"(
def f(x: Tensor) -> Tensor:
  if hasattr(torch, "no_such_operator"):
    return torch.no_such_operator(x)
  if hasattr(torch, "relu") and hasattr(torch, "float16"):
    return x
  return -x
)";
  ASSERT_OK_AND_ASSIGN(const at::Tensor with, CallF(text));
  EXPECT_EQ(with.item<float>(), 4);
  ASSERT_OK_AND_ASSIGN(const at::Tensor without, CallF(text, [](const std::string&) { return false; }));
  EXPECT_EQ(without.item<float>(), -4);
}

TEST(PluginResolverTest, NamesOfModulesAreReserved) {
  EXPECT_TRUE(PluginResolver::IsReserved("torch"));
  EXPECT_FALSE(PluginResolver::IsReserved("twice"));
}

struct AbsentCase {
  std::string expression;
  std::string error;
};

class AbsentModuleTest : public testing::TestWithParam<AbsentCase> {};

TEST_P(AbsentModuleTest, TheErrorSaysWhatToWrite) {
  EXPECT_THAT(RunReturn(GetParam().expression), StatusIs(absl::StatusCode::kInternal, HasSubstr(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(
    All, AbsentModuleTest,
    testing::Values(AbsentCase{"F.relu(x)", "F is not available; call torch.relu"},
                    AbsentCase{"torch.nn.functional.leaky_relu(x)",
                               "torch.nn.functional is not available; call torch.leaky_relu"},
                    AbsentCase{"torch.linalg.inv(x)", "torch.linalg is not available; call torch.linalg_inv"},
                    AbsentCase{"nn.LeakyReLU()(x)",
                               "nn is not available; write LeakyReLU(...) under `children`, or call torch.leaky_relu"},
                    AbsentCase{"nn.Linear(1, 1)(x)", "nn is not available; write Linear(...) under `children`"},
                    AbsentCase{"F.unfold(x)", "F is not available; call torch.im2col"},
                    AbsentCase{"F.no_such(x)", "F is not available, and no operator of torch is called no_such"}));

TEST(PluginResolverTest, OtherNamesAreUndefined) {
  EXPECT_THAT(RunReturn("numpy.abs(x)"), StatusIs(absl::StatusCode::kInternal, HasSubstr("undefined value numpy")));
}

}  // namespace
}  // namespace modelport
