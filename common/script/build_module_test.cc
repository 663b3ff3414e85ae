#include "common/script/build_module.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST(BuildModuleTest, WhatATypeLacksIsLeftOutOfItsCode) {
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

// What hasattr(torch, ...) rules out may even be unknown to the compiler.
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
                                     HasSubstr("no attribute or method 'missing'"), HasSubstr("~~~~~ <--- HERE"))));
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

}  // namespace
}  // namespace modelport
