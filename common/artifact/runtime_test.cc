#include "common/artifact/runtime.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/artifact/operator_table.h"
#include "common/status/status_matchers.h"
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

Module MakeModule(const std::string& body) {
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
  return CheckRuntime(Runtimes()[runtime], ArchiveFormat(), CollectOperators(MakeModule(body)));
}

TEST(RuntimesTest, AreThoseOfTheOperatorTable) {
  std::vector<std::string> names;
  for (const Runtime& runtime : Runtimes()) names.emplace_back(runtime.name);
  EXPECT_EQ(names, OperatorTableRuntimes());
}

TEST(FindRuntimeTest, ListsTheKnownOnes) {
  ASSERT_OK_AND_ASSIGN(const Runtime runtime, FindRuntime("1.12"));
  EXPECT_EQ(runtime.name, "1.12");
  EXPECT_THAT(FindRuntime("1.13"),
              StatusIs(absl::StatusCode::kInvalidArgument, "unknown runtime 1.13; known: 1.6, 1.12, 2.1, 2.7, 2.13"));
}

TEST(OperatorsOfTest, AreThoseThatTheRuntimeRegisters) {
  EXPECT_TRUE(OperatorsOf(Runtimes()[0])("relu"));
  EXPECT_FALSE(OperatorsOf(Runtimes()[0])("silu"));
  EXPECT_TRUE(OperatorsOf(Runtimes()[1])("silu"));
  EXPECT_FALSE(OperatorsOf(Runtimes()[1])("scaled_dot_product_attention"));
  EXPECT_TRUE(OperatorsOf(absl::nullopt)("scaled_dot_product_attention"));
  EXPECT_FALSE(OperatorsOf(absl::nullopt)("no_such_operator"));
}

struct MinimumCase {
  const char* name;
  const char* body;
  const char* runtime;
};

class MinimumRuntimeTest : public testing::TestWithParam<MinimumCase> {};

// What LibTorch itself writes has records that 1.6 cannot read.
TEST_P(MinimumRuntimeTest, OfASavedArchive) {
  const Module module = MakeModule(GetParam().body);
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

TEST(CheckRuntimeTest, NamesCallsLinesAndModules) {
  std::vector<Operator> operators = CollectOperators(MakeModule("torch.pad(x[:, :2], [1, 1])"));
  const OperatorCall::Place head = {{"a.yaml:7", ""}, {"head"}};
  for (Operator& op : operators) {
    for (OperatorCall& call : op.calls) call.places = {head};
  }
  operators[0].calls[0].places.push_back({{"b.yaml:9", ""}, {"", "n.0", "n.1", "n.2", "n.3", "n.4"}});
  EXPECT_THAT(CheckRuntime(Runtimes()[0], ArchiveFormat(), operators),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "cannot run in LibTorch 1.6: 2 obstacles; the oldest that can is 1.12\n"
                       "  aten::pad(Tensor, List[int]): LibTorch 1.6 does not have it\n"
                       "    a.yaml:7, 1 module: head\n"
                       "    b.yaml:9, 6 modules: the root, n.0, n.1, n.2, n.3, +1 more\n"
                       "  aten::slice(Tensor, int, NoneType, int): LibTorch 1.6 does not have it\n"
                       "    a.yaml:7, 1 module: head"));
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
  const auto obstacles =
      FindObstacles(Runtimes()[0], format, CollectOperators(MakeModule("torch.silu(x[:2]) + torch.silu(x[:, :2])")));
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

TEST(ReadArchiveFormatTest, ReadsTheVersionOfTheNewestOperator) {
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat relu, ReadArchiveFormat(Save(MakeModule("torch.relu(x)"))));
  EXPECT_EQ(relu.version, 3);
  EXPECT_TRUE(relu.new_records);
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat gelu, ReadArchiveFormat(Save(MakeModule("torch.gelu(x)"))));
  EXPECT_EQ(gelu.version, 10);
}

// As those of torch.nn have.
TEST(ReadArchiveFormatTest, SeesAttributesOfNoneType) {
  Module module = MakeModule("torch.relu(x)");
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat without, ReadArchiveFormat(Save(module)));
  EXPECT_FALSE(without.none_type);
  module.register_attribute("_is_full_backward_hook", c10::NoneType::get(), c10::IValue());
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat with, ReadArchiveFormat(Save(module)));
  EXPECT_TRUE(with.none_type);
}

TEST(ReadArchiveFormatTest, RefusesArchivesWithoutCode) {
  const std::string path = testing::TempDir() + "/weights.pth";
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord("data.pkl", "N.", 2);
  writer.writeEndOfFile();
  EXPECT_THAT(ReadArchiveFormat(path), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("without code")));
}

TEST(ReadArchiveFormatTest, RefusesOtherFiles) {
  const std::string path = testing::TempDir() + "/text.pt";
  std::ofstream(path) << "not an archive";
  EXPECT_THAT(ReadArchiveFormat(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("text.pt: not a TorchScript")));
}

}  // namespace
}  // namespace modelport
