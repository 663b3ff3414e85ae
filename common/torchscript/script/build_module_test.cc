#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/testing/ignore_leaks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using torch::jit::Module;

constexpr char kScale[] = R"(
  Scale(dim, factor=2):
    parameters: {weight: [dim]}
    constants: {factor: factor}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x * self.weight * self.factor
)";

// Builds Root() of a modules file with Scale and `types`, all weights being 1.
absl::StatusOr<torch::jit::Module> Build(const std::string& types, const std::string& root = "Root()",
                                         const std::string& functions = "",
                                         const HasOperator& has_operator = CompilerHasOperator) {
  auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"toy.yaml", absl::StrCat(functions, "modules:", kScale, types)}));
  ASSIGN_OR_RETURN(const Call call, ParseCall(root));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(library, call));
  std::vector<at::Tensor> tensors;
  for (const Slot& slot : tree.slots) tensors.push_back(at::ones(slot.shape));
  return BuildModule(tree, tensors, has_operator);
}

// Runs forward on [1, 1], from the module as built and as saved and loaded, which must agree.
float RunForward(torch::jit::Module module) {
  const at::Tensor built = module.forward({at::ones({2})}).toTensor();
  std::stringstream file;
  module.save(file);
  const at::Tensor loaded = torch::jit::load(file).forward({at::ones({2})}).toTensor();
  EXPECT_TRUE(built.equal(loaded));
  return built[0].item<float>();
}

TEST(BuildModuleTest, OneClassForEachDistinctType) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  Root():
    children:
      a: Scale(2)
      b: Scale(2, factor=3)
      c: Scale(7)
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.b(self.a(x))
)"));
  // Shapes do not set classes apart, constants do.
  EXPECT_EQ(module.attr("a").type(), module.attr("c").type());
  EXPECT_NE(module.attr("a").type(), module.attr("b").type());
  EXPECT_EQ(RunForward(module), 6);
}

TEST(BuildModuleTest, ListsAreLoopedOverIndexedAndCalled) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  Root():
    children:
      blocks:
        - repeat: 3
          module: Scale(2)
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        for (i, (block, other)) in enumerate(zip(self.blocks, self.blocks)):
          x = block(x) + i
        return self.blocks(x) + self.blocks[-1](x)
)"));
  // ((1 * 2 + 0) * 2 + 1) * 2 + 2 = 12; 12 * 8 + 12 * 2
  EXPECT_EQ(RunForward(module), 120);
}

TEST(BuildModuleTest, CodeForAbsentMembersIsLeftOut) {
  const std::string types = R"(
  Root(with):
    parameters: {extra: {shape: [2], when: with}}
    attributes: {gain: 0.5}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        if hasattr(self, "extra"):
          x = x + self.extra
        return x * self.gain
)";
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module with, Build(types, "Root(1)"));
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module without, Build(types, "Root(0)"));
  EXPECT_EQ(RunForward(with), 1);
  EXPECT_EQ(RunForward(without), 0.5);
}

// A branch that hasattr(torch, ...) rules out may call operators that the compiler does not know.
TEST(BuildModuleTest, OperatorsThatTheRuntimeLacksAreLeftOut) {
  const std::string types = R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        if hasattr(torch, "no_such_operator"):
          return torch.no_such_operator(x)
        return twice(x)
)";
  const std::string functions = R"(functions:
  - |
    def twice(x: Tensor) -> Tensor:
      if hasattr(torch, "silu") and hasattr(torch, "float32"):
        return x + x
      else:
        return x
)";
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module newest, Build(types, "Root()", functions));
  EXPECT_EQ(RunForward(newest), 2);
  const auto has_none = [](const std::string&) { return false; };
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module oldest, Build(types, "Root()", functions, has_none));
  EXPECT_EQ(RunForward(oldest), 1);
}

TEST(BuildModuleTest, FunctionsAndDtypesAreKnown) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return twice(x.to(torch.float64)).to(torch.float32) + math.sqrt(9.0)
)",
                                                              "Root()", R"(functions:
  - |
    def twice(x: Tensor) -> Tensor:
      return x + x
)"));
  EXPECT_EQ(RunForward(module), 5);
}

// The plugin's own test compiles it.
TEST(BuildModuleTest, AFunctionThatNothingCallsIsOnlyParsed) {
  const std::string types = R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return %s(x)
)";
  const std::string functions = R"(functions:
  - |
    def twice(x: Tensor) -> Tensor:
      return x + x
  - |
    def broken(x: Tensor) -> Tensor:
      return torch.no_such_operator(x)
)";
  const auto build = [&](const std::string& called, const std::string& more = "") {
    std::string text = types;
    text.replace(text.find("%s"), 2, called);
    return Build(text, "Root()", functions + more);
  };
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, build("twice"));
  EXPECT_EQ(RunForward(module), 2);
  EXPECT_EQ(module._ivalue()->compilation_unit()->find_function(c10::QualifiedName("__torch__.modelport.broken")),
            nullptr);
  EXPECT_THAT(build("broken"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no_such_operator")));
  EXPECT_THAT(build("brokn"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nearest: broken")));
  EXPECT_THAT(build("twice", "  - |\n    def unended(x: Tensor) -> Tensor:\n      return (x\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("toy.yaml:11: a function does not compile")));
}

TEST(BuildModuleTest, ConstantsSurviveInAnArtifact) {
  ASSERT_OK_AND_ASSIGN(torch::jit::Module module, Build(R"(
  Root():
    constants: {eps: 1e-6, flag: true, taps: [2, 5], heads: 3}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x + self.eps
)"));
  std::stringstream file;
  module.save(file);
  const torch::jit::Module loaded = torch::jit::load(file);
  EXPECT_EQ(loaded.type()->getConstant(loaded.type()->getConstantSlot("eps")).toDouble(), 1e-6);
  EXPECT_TRUE(loaded.type()->getConstant(loaded.type()->getConstantSlot("flag")).toBool());
  EXPECT_EQ(loaded.type()->getConstant(loaded.type()->getConstantSlot("taps")).toIntVector(),
            std::vector<int64_t>({2, 5}));
  EXPECT_EQ(loaded.type()->getConstant(loaded.type()->getConstantSlot("heads")).toInt(), 3);
}

// The tree decides which nodes are lists; the name of a module type does not.
TEST(BuildModuleTest, ATypeMayBeCalledModuleList) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  ModuleListOfTwo():
    children: {first: Scale(2), second: Scale(2)}
    methods: |
      def forward(self, x: Tensor, gain: float) -> Tensor:
        return self.second(x) * gain
  ModuleList():
    children: {only: Scale(2)}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.only(x) + 1
  Root():
    children: {two: ModuleListOfTwo(), one: ModuleList(), list: [ModuleList(), Scale(2)]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.two(self.one(x), 5.0) + self.list(x)
)"));
  // (1 * 2 + 1) * 2 * 5 + (1 * 2 + 1) * 2
  EXPECT_EQ(RunForward(module), 36);
}

TEST(BuildModuleTest, ATypeMayHaveTheNameOfAnothersSecondClass) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"yaml(
  Scale_2():
    children: {inner: "Scale(2, factor=5)"}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + 1
  Root():
    children: {a: "Scale(2, factor=3)", b: "Scale(2, factor=7)", c: Scale_2()}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.c(self.b(self.a(x)))
)yaml"));
  EXPECT_EQ(RunForward(module), 106);
}

TEST(BuildModuleTest, ATypeMayHaveTheNameOfAFunction) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return Root(x)
)",
                                                              "Root()", R"(functions:
  - |
    def Root(x: Tensor) -> Tensor:
      return x + x
)"));
  EXPECT_EQ(RunForward(module), 2);
}

// The error of a root whose methods are `text`, indented.
std::string MethodsError(const std::string& text) {
  const auto module =
      Build("  Root():\n    parameters: {weight: [2]}\n    constants: {eps: 1}\n    methods: |\n" + text);
  EXPECT_THAT(module, StatusIs(absl::StatusCode::kInvalidArgument, testing::StartsWith("toy.yaml:")));
  return std::string(module.status().message());
}

TEST(BuildModuleTest, AMethodThatHasTheNameOfAMemberIsAnError) {
  for (const std::string name : {"weight", "eps"}) {
    EXPECT_THAT(MethodsError("      def " + name + "(self):\n        return 1\n"),
                AllOf(testing::StartsWith("toy.yaml:12: Root does not compile: Root already has a member of this name"),
                      HasSubstr("<--- HERE")));
  }
}

TEST(BuildModuleTest, MethodsThatTorchScriptWouldCallByItselfAreErrors) {
  EXPECT_THAT(MethodsError("      def __setstate__(self, state: int):\n        return 1\n"),
              HasSubstr("\"__setstate__\" is not a valid name: it begins with two _"));
}

TEST(BuildModuleTest, AFunctionWithAReservedNameIsAnError) {
  const auto module =
      Build("  Root(): {}\n", "Root()", "functions:\n  - |\n    def torch(x: Tensor):\n      return x\n");
  EXPECT_THAT(module,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(testing::StartsWith("toy.yaml:3: a function does not compile: torch is a reserved name"),
                             HasSubstr("<--- HERE"))));
}

TEST(BuildModuleTest, AComparisonOfAComparisonIsAnError) {
  for (const std::string range : {"1 <= n <= 32", "0 < n < 3", "9 >= n > 2"}) {
    EXPECT_THAT(
        MethodsError("      def forward(self, n: int) -> bool:\n        return n > 0 and " + range + "\n"),
        AllOf(testing::StartsWith("toy.yaml:13: Root does not compile: TorchScript compares the result of the first"),
              HasSubstr("write a < b and b < c"), HasSubstr("<--- HERE")));
  }
}

TEST(BuildModuleTest, DeepTextIsAnErrorAndNoCrash) {
  EXPECT_THAT(MethodsError("      def forward(self, x: Tensor):\n        return x" + std::string(100000, '(') + "\n"),
              testing::StartsWith("toy.yaml:12: Root does not compile: the text has more than 65536 bytes; split it"));
  EXPECT_THAT(MethodsError("      def forward(self, x: Tensor):\n        return x" + std::string(30000, '(') + "\n"),
              testing::StartsWith("toy.yaml:13: Root does not compile: nested more than 200 levels deep"));
}

// LibTorch's compiler evaluates constant expressions.
TEST(BuildModuleTest, ADivisionThatTheCompilerCannotDoIsAnErrorAndNoCrash) {
  [[maybe_unused]] const IgnoreLeaks ignore_leaks;
  for (const char* quotient : {"(-9223372036854775807 - 1) // -1", "1 % 0"}) {
    const std::string types = absl::StrCat("  Root():\n    methods: |\n      def forward(self, x: Tensor) -> Tensor:\n",
                                           "        return x + (", quotient, ")\n");
    const auto module = Build(types);
    if (!module.ok()) {
      EXPECT_THAT(module, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("an integer division"))) << quotient;
    }
  }
}

// Loops over `size` submodules, one within the other.
std::string Loops(int size, int depth) {
  std::string types = absl::StrCat("  Leaf(): {}\n  Root():\n    children: {list: [{repeat: ", size,
                                   ", module: Leaf()}]}\n    methods: |\n      def forward(self, x: Tensor):\n");
  for (int i = 0; i < depth; ++i) absl::StrAppend(&types, std::string(8 + i, ' '), "for m", i, " in self.list:\n");
  return absl::StrCat(types, std::string(8 + depth, ' '), "x = x + 1\n        return x\n");
}

constexpr char kTooMuchRepeated[] = "more than 262144 bytes of text with its loops over submodules unrolled";

TEST(BuildModuleTest, LoopsThatUnrollToTooMuchTextAreErrors) {
  EXPECT_OK(Build(Loops(1000, 1)));
  for (const auto& [size, depth] : {std::pair(1000, 2), std::pair(1000, 3), std::pair(10, 6)}) {
    EXPECT_THAT(Build(Loops(size, depth)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(testing::StartsWith("toy.yaml:"),
                               HasSubstr(absl::StrCat(" Root does not compile: ", kTooMuchRepeated)))));
  }
}

TEST(BuildModuleTest, EveryWayToRepeatTextCounts) {
  const std::string root =
      "  Root():\n    children: {list: [{repeat: 10000, module: Scale(1)}]}\n    methods: |\n"
      "      def forward(self, x: Tensor):\n";
  std::string sums;
  for (int i = 0; i < 100; ++i) sums += "          x = x + 1\n";
  std::string indices;
  for (int i = 0; i < 100; ++i) indices += "        y = self.list[0]\n";
  for (const std::string& text : {"        for m in self.list:\n" + sums,
                                  "        for (m, n) in zip(self.list,\n            self.list):\n" + sums,
                                  std::string("        y = [m(x) for m in self.list]\n"), indices}) {
    EXPECT_THAT(Build(root + text + "        return x\n"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(kTooMuchRepeated)))
        << text;
  }
}

TEST(BuildModuleTest, ComprehensionsThatUnrollToTooMuchTextAreErrors) {
  EXPECT_THAT(Build(R"(
  Root():
    children: {list: [{repeat: 1000, module: Scale(1)}]}
    methods: |
      def forward(self, x: Tensor):
        for block in self.list:
          y = [m(x) for m in self.list]
        return x
)"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(kTooMuchRepeated)));
}

TEST(BuildModuleTest, TooManyOperationsAreAnError) {
  std::string types =
      "  Long(k):\n    constants: {k: k}\n    methods: |\n      def forward(self, x: Tensor) -> Tensor:\n";
  for (int i = 0; i < 500; ++i) absl::StrAppend(&types, "        x = x + ", i, "\n");
  absl::StrAppend(&types, "        return x\n  Root():\n    children:\n");
  for (int i = 0; i < 150; ++i) absl::StrAppend(&types, "      c", i, ": Long(", i, ")\n");
  EXPECT_THAT(Build(types), StatusIs(absl::StatusCode::kInvalidArgument,
                                     testing::StartsWith("toy.yaml:11: Long does not compile: the model has more than "
                                                         "100000 operations")));
}

TEST(BuildModuleTest, CompileErrorsNameFileLineAndType) {
  const auto module = Build(R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        y = x + 1
        return y + self.missing
)");
  EXPECT_THAT(module, StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(testing::StartsWith("toy.yaml:13: Root does not compile: "),
                                     HasSubstr("Root does not compile: Root has no member missing"),
                                     HasSubstr("~~~~~ <--- HERE"))));
}

TEST(BuildModuleTest, AMissingMemberIsExplained) {
  const std::string types = R"(
  Gate(on):
    children: {scale: {module: Scale(2), when: on}}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.scale(x)
  Listed():
    children: {list: [Scale(2)]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x * self.list.weight
  Root(on):
    children: {gate: Gate(on)}
  Misspelt():
    children: {scale: Scale(2)}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.scales(x)
)";
  const auto error = [&](const std::string& root) { return std::string(Build(types, root).status().message()); };
  EXPECT_OK(Build(types, "Root(1)"));
  EXPECT_THAT(error("Root(0)"), HasSubstr("scale exists only where `when: on` holds (toy.yaml:10:16); absent in gate: "
                                          "guard with hasattr(self, \"scale\")"));
  EXPECT_THAT(error("Listed()"), HasSubstr("list is a list of modules, without a member weight: loop over it or index "
                                           "it, self.list[0].weight"));
  EXPECT_THAT(error("Misspelt()"), HasSubstr("Misspelt has no member scales; nearest: scale"));
}

TEST(BuildModuleTest, SyntaxErrorsNameFileAndLine) {
  const auto module = Build(R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x +
)");
  EXPECT_THAT(module,
              StatusIs(absl::StatusCode::kInvalidArgument, testing::StartsWith("toy.yaml:13: Root does not compile")));
}

TEST(BuildModuleTest, TracebacksOfALoadedArtifactNameFileAndLine) {
  ASSERT_OK_AND_ASSIGN(torch::jit::Module module, Build(R"(
  Root():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        assert x.dim() == 4, "the input must have 4 dimensions"
        return x
)"));
  std::stringstream file;
  module.save(file);
  torch::jit::Module loaded = torch::jit::load(file);
  try {
    loaded.forward({at::ones({2})});
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("File \"toy.yaml\", line 12"), HasSubstr("the input must have 4 dimensions")));
  }
}

// Python's torch.jit.freeze and eval() use the attribute `training` of every module.
TEST(BuildModuleTest, EveryModuleIsInEvalModeAndFreezes) {
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(R"(
  Root():
    children: {list: [Scale(2), {module: [Scale(2)], repeat: 2}]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        if self.training:
          x = x + 1
        return self.list(x)
)"));
  std::stringstream file;
  module.save(file);
  torch::jit::Module loaded = torch::jit::load(file);
  const auto modules = loaded.named_modules();
  ASSERT_EQ(modules.size(), 7);
  for (const auto& [name, submodule] : modules) {
    ASSERT_TRUE(submodule.hasattr("training")) << name;
    EXPECT_FALSE(submodule.attr("training").toBool()) << name;
  }
  const at::Tensor expected = loaded.forward({at::ones({2})}).toTensor();
  EXPECT_EQ(expected[0].item<float>(), 8);
  torch::jit::Module frozen = torch::jit::freeze(loaded);
  EXPECT_TRUE(frozen.forward({at::ones({2})}).toTensor().equal(expected));
}

constexpr char kModules[] = R"(
functions:
  - |
    def inner(x: Tensor) -> Tensor:
      return x
    def beside(x: Tensor) -> Tensor:
      return x
  - |
    def outer(x: Tensor) -> Tensor:
      return inner(x)
  - |
    def other(x: Tensor) -> Tensor:
      return helper(x)
modules:
  Item():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return outer(x)
  Root():
    children:
      items:
        - {module: Item(), repeat: 2}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.items(x)
  Unused():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return other(x)
)";

absl::StatusOr<ModuleTree> BuildTree(const std::string& root) {
  auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"toy.yaml", kModules}));
  ASSIGN_OR_RETURN(const Call call, ParseCall(root));
  return BuildModuleTree(library, call);
}

TEST(CalledNamesTest, AreThoseOfMethodsAndOfTheFunctionsThatTheyCall) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTree("Root()"));
  EXPECT_THAT(CalledNames(tree), AllOf(Contains("outer"), Contains("inner"), Contains("items")));
}

TEST(CalledNamesTest, WhatOnlyOtherTypesCallIsNotAmongThem) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTree("Root()"));
  EXPECT_THAT(CalledNames(tree), AllOf(Not(Contains("other")), Not(Contains("helper"))));
  ASSERT_OK_AND_ASSIGN(const ModuleTree unused, BuildTree("Unused()"));
  EXPECT_THAT(CalledNames(unused), AllOf(Contains("helper"), Not(Contains("inner"))));
}

std::vector<std::string> MethodNames(const Module& module) {
  std::vector<std::string> names;
  for (const auto& method : module.get_methods()) names.push_back(method.name());
  return names;
}

class KeepMethodTest : public testing::Test {
 protected:
  KeepMethodTest() {
    leaf_.define(R"(
      def twice(self, x):
        return x * 2

      def forward(self, x):
        return self.twice(x)

      def unused(self, x):
        return torch.inverse(x)
    )");
    idle_.define("def forward(self, x):\n  return x\n");
    root_.register_module("leaf", leaf_);
    root_.register_module("idle", idle_);
    root_.define(R"(
      def deeper(self, x):
        return self.leaf.forward(x)

      def forward(self, x):
        if x.dim() == 2:
          x = self.deeper(x)
        return x

      def other(self, x):
        return self.leaf.unused(self.idle.forward(x))
    )");
  }

  Module leaf_{"Leaf"}, idle_{"Idle"}, root_{"Root"};
};

TEST_F(KeepMethodTest, OnlyWhatTheMethodReachesIsLeft) {
  ASSERT_OK(KeepMethod(root_, "forward"));
  EXPECT_THAT(MethodNames(root_), ElementsAre("deeper", "forward"));
  EXPECT_THAT(MethodNames(leaf_), ElementsAre("twice", "forward"));
  EXPECT_THAT(MethodNames(idle_), IsEmpty());
}

TEST_F(KeepMethodTest, WhatIsLeftIsSavedAndRunsAsBefore) {
  const at::Tensor x = at::ones({2, 2});
  const at::Tensor before = root_.forward({x}).toTensor();
  ASSERT_OK(KeepMethod(root_, "forward"));
  std::stringstream file;
  root_.save(file);
  EXPECT_EQ(file.str().find("inverse"), std::string::npos);
  const Module loaded = torch::jit::load(file);
  EXPECT_TRUE(at::equal(loaded.get_method("forward")({x}).toTensor(), before));
  EXPECT_FALSE(loaded.find_method("other").has_value());
}

TEST_F(KeepMethodTest, AMethodThatIsNotThereIsAnError) {
  EXPECT_THAT(KeepMethod(leaf_, "backward"), StatusIs(absl::StatusCode::kNotFound, "no method backward"));
  EXPECT_THAT(MethodNames(leaf_), SizeIs(3));
}

}  // namespace
}  // namespace modelport
