#include "common/torchscript/archive/script_file.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class.h>

#include <memory>
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
  return CheckLoadingRunsNothing(*archive);
}

TEST(OutsideCallsTest, RefusesMethodsThatRunWhileTheFileIsLoaded) {
  for (const std::string name : {"__setstate__", "__getstate__"}) {
    for (const std::string& definition :
         {"  def " + name + "(self, x):\n    return x\n", "  def  " + name + " (self):\n    pass\n"}) {
      EXPECT_THAT(Check("class Net(Module):\n" + definition),
                  StatusIs(StatusCode::kFailedPrecondition, StartsWith("code/__torch__.py:2: defines " + name +
                                                                       ", which runs while the file is loaded")))
          << definition;
    }
  }
  EXPECT_OK(Check("def f(x):\n  y = \"def __setstate__(self)\"\n  return x.__setstate__\n"));
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

// A module with a method that makes `statement`.
torch::jit::Module ModuleOf(const std::string& statement) {
  torch::jit::Module module("Net");
  module.define("def save(self, x):\n  return x\ndef from_file(self, x):\n  return x\n");
  module.define(absl::StrCat("def forward(self, x):\n  ", statement, "\n  return x\n"));
  return module;
}

// The module has methods of the same names, which make no difference.
TEST(OutsideCallsTest, RefusesOperatorsHoweverTheCodeNamesThem) {
  for (const std::string statement :
       {"torch.save(x, \"file\")", "t = torch\n  t.save(x, \"file\")", "getattr(torch, \"s\\141ve\")(x, \"file\")"}) {
    EXPECT_THAT(CheckNoOutsideCalls(ModuleOf(statement)),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("calls aten::save, which writes files")))
        << statement;
  }
  EXPECT_THAT(
      CheckNoOutsideCalls(ModuleOf("x = torch.from_file(\"file\", True, 8)")),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("calls aten::from_file, which reads and writes files")));
}

TEST(OutsideCallsTest, AcceptsOtherUsesOfTheNames) {
  for (const std::string statement : {"y = torch.relu(x)", "print(\"torch.save\")", "save = x", "y = self.save(x)",
                                      "y = self.from_file(x)", "if False:\n    y = self.save(self.from_file(x))"}) {
    EXPECT_OK(CheckNoOutsideCalls(ModuleOf(statement))) << statement;
  }
}

// An attribute's object may be called through an interface, whose type does not tell the class.
TEST(OutsideCallsTest, RefusesOperatorsInTheMethodsOfAnAttribute) {
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  const auto type = c10::ClassType::create("__torch__.Writer", unit);
  unit->register_type(type);
  const auto resolver = torch::jit::nativeResolver();
  const auto self = torch::jit::SimpleSelf(type);
  unit->define(type->name(), "def write(self, x):\n  torch.save(x, \"file\")\n  return x\n", resolver, &self);
  torch::jit::Module module = ModuleOf("y = x");
  module.register_attribute("writers", c10::ListType::create(type), c10::IValue(c10::impl::GenericList(type)));
  EXPECT_OK(CheckNoOutsideCalls(module));
  c10::impl::GenericList writers(type);
  writers.push_back(c10::ivalue::Object::create(c10::StrongTypePtr(unit, type), 0));
  module.setattr("writers", writers);
  EXPECT_THAT(CheckNoOutsideCalls(module), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("calls aten::save")));
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
// or to the table of script_file.cc.
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
