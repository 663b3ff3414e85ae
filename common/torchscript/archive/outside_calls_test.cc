#include "common/torchscript/archive/outside_calls.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::StartsWith;
using testing::UnorderedElementsAre;

// Checks an archive of one record of code.
absl::Status Check(const std::string& code) {
  const std::string file = ZipArchive({{"m/constants.pkl", "N."}, {"m/code/__torch__.py", code}});
  const auto archive = ScriptArchive::Read(file);
  EXPECT_OK(archive);
  return CheckNoOutsideCalls(*archive);
}

std::string Line(const std::string& statement) { return absl::StrCat("def f(x):\n  ", statement, "\n  return x\n"); }

TEST(OutsideCallsTest, RefusesEverySpellingOfACall) {
  for (const std::string statement :
       {"torch.save(x, \"file\")", "ops.aten.save(x, \"file\")", "torch . save (x, \"file\")",
        "torch.autograd.save(x, \"file\")", "x.save(\"file\")", "(x).save(\"file\")", "[x].save(\"file\")",
        "write = torch.save", "getattr(torch, \"save\")(x, \"file\")", "getattr(torch, \"s\\141ve\")(x, \"file\")"}) {
    EXPECT_THAT(Check(Line(statement)), StatusIs(StatusCode::kFailedPrecondition,
                                                 StartsWith("code/__torch__.py:2: calls save, which writes files\n")))
        << statement;
  }
  EXPECT_THAT(Check(Line("y = torch.from_file(\"file\", True, 8)")),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("calls from_file, which reads and writes files")));
  for (const std::string statement :
       {"ops.c10d.barrier(x)", "y = __torch__.torch.classes.c10d.ProcessGroup(0, 1)", "ops._c10d_functional.isend(x)",
        "ops.symm_mem._rendezvous(x)", "getattr(ops, \"c10d\").barrier(x)"}) {
    EXPECT_THAT(Check(Line(statement)),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("exchanges data with other processes")))
        << statement;
  }
}

TEST(OutsideCallsTest, AcceptsOtherUsesOfTheNames) {
  for (const std::string statement : {"y = torch.relu(x)", "print(\"torch.save\")", "save = x", "y = self.save",
                                      "y = save(x)", "y = getattr(self.blocks, \"0\")"}) {
    EXPECT_OK(Check(Line(statement))) << statement;
  }
  // A method of the archive's own.
  EXPECT_OK(
      Check("class Cache(Module):\n  def save(self, x):\n    return x\n  def forward(self, x):\n"
            "    return (self).save(x)\n"));
  EXPECT_THAT(Check("def save(x):\n  torch.save(x, \"file\")\n"),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr(":2: ")));
}

TEST(OutsideCallsTest, RefusesCodeThatIsNotTorchScript) {
  EXPECT_THAT(Check("def f():\n  \"open\n"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("code/__torch__.py: not TorchScript")));
}

TEST(OutsideCallsTest, CodeThatTheErrorQuotesIsPrintable) {
  const absl::Status status = Check("def f():\n    pass\n  x = \"\x1b[2J\"\n");
  EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss, HasSubstr("\\x1b[2J")));
  EXPECT_THAT(status.message(), testing::Not(HasSubstr("\x1b")));
}

TEST(OutsideCallsTest, RefusesOperatorsOfAModule) {
  torch::jit::Module module("Net");
  module.define("def forward(self, x):\n  return torch.relu(x)\n");
  EXPECT_OK(CheckNoOutsideCalls(CollectOperators(module)));
  module.define("def write(self, x):\n  torch.save(x, \"file\")\n  return x\n");
  EXPECT_THAT(CheckNoOutsideCalls(CollectOperators(module)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("calls aten::save, which writes files")));
}

TEST(OutsideCallsTest, KnowsOperatorsByTheirFullNames) {
  EXPECT_EQ(OutsideEffect("aten::save"), "writes files");
  EXPECT_EQ(OutsideEffect("c10d::barrier"), "exchanges data with other processes");
  EXPECT_EQ(OutsideEffect("aten::saved"), "");
  EXPECT_EQ(OutsideEffect("mine::save"), "");
}

// Operators that TorchScript code can call in this LibTorch.
std::vector<c10::FunctionSchema> RegisteredSchemas() {
  std::vector<c10::FunctionSchema> schemas;
  for (const auto& op : torch::jit::getAllOperators()) schemas.push_back(op->schema());
  for (const auto& op : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(op);
    if (handle) schemas.push_back(handle->schema());
  }
  return schemas;
}

// The operators of these namespaces were reviewed one by one in LibTorch 2.13. Review a new namespace, then add it here
// or to the table of outside_calls.cc.
TEST(OutsideCallsTest, EveryNamespaceIsKnown) {
  std::set<std::string> others;
  for (const c10::FunctionSchema& schema : RegisteredSchemas()) {
    const std::string space = schema.name().substr(0, schema.name().find("::"));
    if (OutsideEffect(absl::StrCat(space, "::x")).empty()) others.insert(space);
  }
  EXPECT_THAT(others, IsSubsetOf({"_quantized", "_test", "aten", "inductor", "inductor_prims", "mkl", "mkldnn",
                                  "mkldnn_prepacked", "onednn", "onnx", "prim", "prims", "profiler", "quantization",
                                  "quantized", "rngprims", "sparse", "static_runtime"}));
}

// An operator that reaches a file, a program or a network address would need a string that names it. The strings for
// these arguments name none.
TEST(OutsideCallsTest, EveryStringArgumentIsKnown) {
  std::set<std::string> names;
  for (const c10::FunctionSchema& schema : RegisteredSchemas()) {
    if (!OutsideEffect(schema.name()).empty()) continue;
    for (const c10::Argument& argument : schema.arguments()) {
      if (absl::StrContains(argument.type()->annotation_str(), "str")) names.insert(argument.name());
    }
  }
  EXPECT_THAT(names,
              IsSubsetOf(std::vector<std::string>(absl::StrSplit(
                  "UPLO _0 a activation algorithm api_name approximate args assert_msg attr b binary_attr "
                  "binary_post_op chars cls device_type dict driver el equation fillchar idx ind indexing input "
                  "inputs interpolation item key l message mode msg name new norm old ord p pad_mode padding "
                  "padding_side post_op_algorithm post_op_name reduce rounding_mode s self separator side string "
                  "substr t to_add type unary_algorithm unary_attr unary_post_op unary_post_op_algorithm values",
                  ' '))));
}

// The classes of LibTorch that code can use, by their namespaces, were reviewed, too: an argument of text names a
// worker or an object of Python and is only stored or looked up, and _nnapi loads a library of Android by its fixed
// name.
TEST(OutsideCallsTest, EveryClassIsKnown) {
  std::set<std::string> others;
  for (const c10::FunctionSchema& method : torch::customClassSchemasForBCCheck()) {
    const std::string self = method.arguments().front().type()->annotation_str();
    constexpr absl::string_view kClasses = "__torch__.torch.classes.";
    ASSERT_THAT(self, StartsWith(std::string(kClasses)));
    const std::string space = self.substr(kClasses.size(), self.find('.', kClasses.size()) - kClasses.size());
    if (OutsideEffect(absl::StrCat(space, "::x")).empty()) others.insert(space);
  }
  EXPECT_THAT(others, IsSubsetOf({"_nnapi", "aten", "backendutils", "dist_rpc", "mkldnn", "profiling", "quantized",
                                  "rnn", "sparse"}));
}

// A row of the table without an operator would be a misspelling.
TEST(OutsideCallsTest, EveryOutsideNameIsRegistered) {
  std::set<std::string> effects;
  for (const c10::FunctionSchema& schema : RegisteredSchemas()) {
    const std::string space = schema.name().substr(0, schema.name().find("::"));
    if (!OutsideEffect(schema.name()).empty()) effects.insert(space == "aten" ? schema.name() : space);
  }
  EXPECT_THAT(effects, UnorderedElementsAre("_c10d_functional", "_c10d_functional_autograd", "_dtensor",
                                            "aten::from_file", "aten::save", "c10d", "symm_mem"));
}

}  // namespace
}  // namespace modelport
