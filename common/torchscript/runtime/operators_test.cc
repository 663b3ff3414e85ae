#include "common/torchscript/runtime/operators.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using torch::jit::Module;

Module MakeModule(const std::string& code) {
  Module module("Tiny");
  module.define(code);
  return module;
}

std::vector<std::string> Calls(const Module& module) {
  std::vector<std::string> calls;
  for (const Operator& op : CollectOperators(module)) {
    for (const OperatorCall& call : op.calls) calls.push_back(call.text);
  }
  return calls;
}

TEST(CollectOperatorsTest, LeavesOutTrailingDefaultsAndNamesKeywords) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        x = torch.add(x, x)
        x = torch.add(x, x, alpha=2)
        x = torch.relu(x)
        return x[0:2]
  )");
  EXPECT_THAT(Calls(module), ElementsAre("aten::add(Tensor, Tensor)", "aten::add(Tensor, Tensor, alpha=int)",
                                         "aten::relu(Tensor)", "aten::slice(Tensor, int, int, int)"));
}

TEST(CollectOperatorsTest, ListsEveryCallOnce) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return torch.relu(torch.relu(x))
  )");
  EXPECT_THAT(Calls(module), ElementsAre("aten::relu(Tensor)"));
}

TEST(CollectOperatorsTest, LooksIntoBlocks) {
  const Module module = MakeModule(R"(
    def forward(self, x, deep: bool):
        for i in range(3):
            if deep:
                x = torch.relu(x)
        return x
  )");
  EXPECT_THAT(Calls(module), ElementsAre("aten::relu(Tensor)"));
}

TEST(CollectOperatorsTest, NamesEveryModuleThatMakesACall) {
  const Module block = MakeModule("def forward(self, x): return torch.relu(x)\n");
  Module tiny("Tiny");
  tiny.register_module("block", block);
  tiny.register_module("other", block);
  tiny.define("def forward(self, x): return torch.relu(self.other.forward(self.block.forward(x)))\n");
  const std::vector<Operator> operators = CollectOperators(tiny);
  ASSERT_EQ(operators.size(), 1);
  std::vector<std::string> modules;
  for (const OperatorCall::Place& place : operators[0].calls[0].places) {
    modules.insert(modules.end(), place.modules.begin(), place.modules.end());
  }
  EXPECT_THAT(modules, ElementsAre("", "block", "other"));
}

// Compiles a module's code as a plugin's is, with the file and the number of its first line.
Module CompileFile(const std::string& code, const std::string& file, size_t first_line) {
  Module module("Tiny");
  torch::jit::Parser parser(std::make_shared<torch::jit::Source>(code, file, first_line));
  const torch::jit::Def def(parser.parseFunction(/*is_method=*/true));
  const torch::jit::SimpleSelf self(module.type());
  module._ivalue()->compilation_unit()->define(*module.type()->name(), {}, {}, {def}, {torch::jit::nativeResolver()},
                                               &self);
  return module;
}

TEST(CollectOperatorsTest, NamesEveryLineOfTheSource) {
  const Module module =
      CompileFile("def forward(self, x):\n  x = torch.relu(x)\n  return torch.relu(x)\n", "a.yaml", 7);
  std::stringstream archive;
  module.save(archive);
  for (const Module& same : {module, torch::jit::load(archive)}) {
    const std::vector<Operator> operators = CollectOperators(same);
    ASSERT_EQ(operators.size(), 1);
    ASSERT_EQ(operators[0].calls.size(), 1);
    ASSERT_EQ(operators[0].calls[0].places.size(), 2);
    EXPECT_EQ(operators[0].calls[0].places[0].line.place, "a.yaml:8");
    EXPECT_EQ(operators[0].calls[0].places[1].line.place, "a.yaml:9");
  }
}

TEST(CollectOperatorsTest, LooksIntoEveryMethod) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return x
    def features(self, x):
        return torch.neg(x)
  )");
  EXPECT_THAT(Calls(module), ElementsAre("aten::neg(Tensor)"));
}

TEST(CollectOperatorsTest, FindsNoOperatorInSyntax) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return [x], (x, 1, None)
  )");
  EXPECT_THAT(Calls(module), IsEmpty());
}

TEST(CollectOperatorsTest, FindsTheSameInTheArchive) {
  const Module module = MakeModule(R"(
    def forward(self, x, scale: Optional[float] = None):
        size = [x.size(2), x.size(3)]
        if scale is not None:
            size = [int(float(s) * scale) for s in size]
        return torch.upsample_bilinear2d(x[:, :, ::2], size, False, None)
  )");
  std::stringstream archive;
  module.save(archive);
  EXPECT_EQ(Calls(torch::jit::load(archive)), Calls(module));
}

TEST(CollectOperatorsTest, StatesOverloadAndVersion) {
  const std::vector<Operator> operators = CollectOperators(MakeModule(R"(
    def forward(self, x):
        return torch.gelu(x) + 1.0
  )"));
  ASSERT_EQ(operators.size(), 2);
  EXPECT_EQ(operators[0].name, "aten::add");
  EXPECT_EQ(operators[0].overload, "Scalar");
  EXPECT_EQ(operators[0].version, 0);
  EXPECT_EQ(operators[1].name, "aten::gelu");
  EXPECT_EQ(operators[1].overload, "");
  EXPECT_EQ(operators[1].version, 10);
}

TEST(OperatorTableTest, HasAColumnForEachKnownRuntime) {
  std::vector<std::string> names;
  for (const Runtime& runtime : Runtimes()) names.emplace_back(runtime.name);
  EXPECT_EQ(OperatorTableRuntimes(), names);
}

TEST(OperatorTableTest, HasEverySchemaOfTheRunningLibTorch) {
  if (!absl::StartsWith(TORCH_VERSION, "2.13.")) GTEST_SKIP() << "this is LibTorch " << TORCH_VERSION;
  for (const auto& op : torch::jit::getAllOperators()) {
    const c10::FunctionSchema& schema = op->schema();
    const std::vector<c10::FunctionSchema> registered = RegisteredSchemas("2.13", schema.name());
    EXPECT_TRUE(std::any_of(registered.begin(), registered.end(), [&](const c10::FunctionSchema& other) {
      return other.arguments() == schema.arguments();
    })) << schema;
  }
}

TEST(OperatorTableTest, RuntimesHaveDifferentOperators) {
  EXPECT_THAT(RegisteredSchemas("1.6", "aten::relu"), Not(IsEmpty()));
  EXPECT_THAT(RegisteredSchemas("1.6", "aten::pad"), IsEmpty());
  EXPECT_THAT(RegisteredSchemas("1.12", "aten::pad"), Not(IsEmpty()));
  EXPECT_THAT(RegisteredSchemas("1.12", "aten::scaled_dot_product_attention"), IsEmpty());
  EXPECT_THAT(RegisteredSchemas("2.1", "aten::scaled_dot_product_attention"), Not(IsEmpty()));
}

TEST(OperatorTableTest, FindsWholeNamesOnly) {
  for (const c10::FunctionSchema& schema : RegisteredSchemas("2.13", "aten::add")) {
    EXPECT_EQ(schema.name(), "aten::add");
  }
  EXPECT_THAT(RegisteredSchemas("2.13", "aten::no_such_operator"), IsEmpty());
}

TEST(OperatorsOfTest, AreThoseThatTheRuntimeRegisters) {
  EXPECT_TRUE(OperatorsOf(&Runtimes()[0])("relu"));
  EXPECT_FALSE(OperatorsOf(&Runtimes()[0])("silu"));
  EXPECT_TRUE(OperatorsOf(&Runtimes()[1])("silu"));
  EXPECT_FALSE(OperatorsOf(&Runtimes()[1])("scaled_dot_product_attention"));
  EXPECT_TRUE(OperatorsOf(nullptr)("scaled_dot_product_attention"));
  EXPECT_FALSE(OperatorsOf(nullptr)("no_such_operator"));
}

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
