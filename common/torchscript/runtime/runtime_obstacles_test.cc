#include "common/torchscript/runtime/runtime_obstacles.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using torch::jit::Module;

Module ModuleReturning(const std::string& body) {
  Module module("Tiny");
  module.define("def forward(self, x):\n  return " + body + "\n");
  return module;
}

std::string Save(const Module& module) {
  const std::string path = testing::TempDir() + "/tiny.pt";
  module.save(path);
  return path;
}

absl::Status Check(int runtime, const std::string& body) {
  return CheckRuntime(Runtimes()[runtime], ArchiveFormat(), CollectOperators(ModuleReturning(body)));
}

struct MinimumCase {
  const char* name;
  const char* body;
  const char* runtime;
};

class MinimumRuntimeTest : public testing::TestWithParam<MinimumCase> {};

// An archive that LibTorch itself writes has records that 1.6 cannot read.
TEST_P(MinimumRuntimeTest, OfASavedArchive) {
  const Module module = ModuleReturning(GetParam().body);
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat format, ReadArchiveFormat(Save(module)));
  EXPECT_EQ(MinimumRuntime(format, CollectOperators(module)), GetParam().runtime);
}

INSTANTIATE_TEST_SUITE_P(
    All, MinimumRuntimeTest,
    testing::Values(MinimumCase{"OldOperators", "torch.relu(torch.linear(x, x))", "1.12"},
                    MinimumCase{"ArchiveVersion10", "torch.gelu(x)", "1.12"},
                    MinimumCase{"FusedAttention", "torch.scaled_dot_product_attention(x, x, x)", "2.1"},
                    MinimumCase{"NewOverload", "torch.squeeze(x, [0, 1])", "2.1"},
                    MinimumCase{"OtherRounding", "torch.floor_divide(x, 0.3)", "2.1"},
                    MinimumCase{"NewKeyword", "torch.scaled_dot_product_attention(x, x, x, enable_gqa=True)", "2.7"},
                    MinimumCase{"NewOperator", "torch._upsample_lanczos2d_aa(x, [4, 4], False)", "2.13"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MinimumRuntimeTest, OfUnknownOperatorIsNone) {
  Operator op;
  op.name = "custom::op";
  op.calls.push_back({"custom::op()", {}, {}});
  EXPECT_EQ(MinimumRuntime(ArchiveFormat(), {op}), "");
}

TEST(CheckRuntimeTest, ReadsOldArchivesOfOldOperators) { EXPECT_OK(Check(0, "torch.relu(x)[:, 0:2]")); }

TEST(CheckRuntimeTest, KnowsOperatorsThatOldRuntimesComputeOtherwise) {
  EXPECT_THAT(Check(0, "x + round(x.shape[0] / 2)"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("aten::round(float): LibTorch 1.6 rounds halves away from zero"),
                             HasSubstr("the oldest that can is 1.12"))));
  EXPECT_OK(Check(0, "torch.round(x)"));
  EXPECT_THAT(Check(1, "torch.floor_divide(x, 0.3)"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("LibTorch 1.12 rounds towards zero")));
}

TEST(CheckRuntimeTest, NamesCallsLinesAndModules) {
  std::vector<Operator> operators = CollectOperators(ModuleReturning("torch.pad(x[:, :2], [1, 1])"));
  const OperatorCall::Place head = {{"a.yaml:7", ""}, {"head"}};
  for (Operator& op : operators) {
    for (OperatorCall& call : op.calls) call.places = {head};
  }
  operators[0].calls[0].places.push_back({{"b.yaml:9", ""}, {"", "n.0", "n.1", "n.2", "n.3", "n.4"}});
  EXPECT_THAT(CheckRuntime(Runtimes()[0], ArchiveFormat(), operators),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "cannot run in LibTorch 1.6: 2 obstacles; the oldest that can is 1.12\n"
                       "  aten::pad(Tensor, List[int]): LibTorch 1.6 does not have it\n"
                       "    a.yaml:7, module head\n"
                       "    b.yaml:9, 6 modules: the root, n.0, n.1, n.2, n.3, +1 more\n"
                       "  aten::slice(Tensor, int, NoneType, int): LibTorch 1.6 does not have it\n"
                       "    a.yaml:7, module head"));
}

TEST(CheckRuntimeTest, ShowsFiveObstaclesAndCountsTheOthers) {
  std::vector<Operator> operators(7);
  for (Operator& op : operators) op.calls.push_back({"custom::op()", {}, {}});
  EXPECT_THAT(CheckRuntime(Runtimes()[0], ArchiveFormat(), operators),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(StartsWith("cannot run in LibTorch 1.6: 7 obstacles; no known runtime can\n"),
                             EndsWith("\n  +2 more"))));
}

TEST(FindObstaclesTest, ListsFormatAndEveryCall) {
  ArchiveFormat format;
  format.version = 10;
  format.new_records = true;
  const auto obstacles = FindObstacles(Runtimes()[0], format,
                                       CollectOperators(ModuleReturning("torch.silu(x[:2]) + torch.silu(x[:, :2])")));
  std::vector<std::string> calls;
  for (const RuntimeObstacle& obstacle : obstacles) calls.push_back(obstacle.call);
  EXPECT_THAT(calls, ElementsAre("", "", "aten::silu(Tensor)", "aten::slice(Tensor, int, NoneType, int)"));
}

TEST(CheckRuntimeTest, RefusesArgumentsOfOtherTypes) {
  EXPECT_THAT(Check(0, "x + sum([x.size(0), 2])"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("aten::sum(List[int])")));
}

TEST(CheckRuntimeTest, RefusesABoolInThePlaceOfANumber) {
  EXPECT_THAT(Check(0, "(x is None) == (x.dim() == 2)"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("aten::eq(bool, bool)")));
  EXPECT_OK(Check(1, "(x is None) == (x.dim() == 2)"));
}

TEST(CheckRuntimeTest, RefusesNewFormats) {
  ArchiveFormat version, records, none_type;
  version.version = 6;
  records.new_records = true;
  none_type.none_type = true;
  EXPECT_THAT(CheckRuntime(Runtimes()[0], version, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("\n  LibTorch 1.6 reads archives up to version 5, this one has version 6")));
  EXPECT_THAT(CheckRuntime(Runtimes()[0], records, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(".debug_pkl")));
  EXPECT_THAT(CheckRuntime(Runtimes()[0], none_type, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the type name NoneType")));
  EXPECT_OK(CheckRuntime(Runtimes()[1], none_type, {}));
}

}  // namespace
}  // namespace modelport
