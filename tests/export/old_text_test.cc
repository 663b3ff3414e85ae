// The text that replaces operators which old runtimes lack computes the same as the operators.
#include <ATen/ops/empty.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/sub.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/compiler.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"

namespace modelport {
namespace {

using Values = std::vector<c10::IValue>;

at::Tensor Noise(const std::string& key, const std::vector<int64_t>& shape) {
  at::Tensor tensor = at::empty(shape);
  SeededFill(key, 0, 0, 1, absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  return tensor;
}

class OldTextTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(ExampleModel("views")));
    library_ = entry.plugin->library;
    ASSERT_OK(old_.AddFunctions(library_->functions()));
    ASSERT_OK(new_.AddFunctions(library_->functions()));
  }

  // Runs a free function of the plugin.
  static c10::IValue Run(const Compiler& compiler, const std::string& function, Values arguments) {
    return (*compiler.unit()->find_function(absl::StrCat("__torch__.modelport.", function)))(std::move(arguments));
  }

  // The two texts differ; their results agree.
  void ExpectFunctionsAgree(const std::string& function, const Values& arguments) {
    ExpectNear(Run(old_, function, arguments), Run(new_, function, arguments));
  }

  void ExpectModulesAgree(const std::string& call, const Values& arguments) {
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(library_, *ParseCall(call)));
    std::vector<at::Tensor> tensors;
    for (const Slot& slot : tree.slots) tensors.push_back(Noise(slot.name, slot.shape));
    ASSERT_OK_AND_ASSIGN(torch::jit::Module for_old, BuildModule(tree, tensors, OperatorsOf(&Oldest())));
    ASSERT_OK_AND_ASSIGN(torch::jit::Module for_new, BuildModule(tree, tensors));
    EXPECT_OK(CheckRuntime(Oldest(), FormatFor(Oldest()), CollectOperators(for_old)));
    EXPECT_FALSE(CheckRuntime(Oldest(), FormatFor(Oldest()), CollectOperators(for_new)).ok());
    ExpectNear(for_old.forward(arguments), for_new.forward(arguments));
  }

  static void ExpectNear(const c10::IValue& actual, const c10::IValue& expected) {
    if (actual.isTuple()) {
      for (size_t i = 0; i < actual.toTupleRef().size(); ++i) {
        ExpectNear(actual.toTupleRef().elements()[i], expected.toTupleRef().elements()[i]);
      }
      return;
    }
    ASSERT_EQ(actual.toTensor().sizes(), expected.toTensor().sizes());
    const double range = expected.toTensor().abs().max().item<double>();
    EXPECT_LE(at::sub(actual.toTensor(), expected.toTensor()).abs().max().item<double>(), 2e-6 * range);
  }

  static const Runtime& Oldest() { return Runtimes()[0]; }

  const c10::InferenceMode inference_;
  std::shared_ptr<const ModuleLibrary> library_;
  Compiler old_{OperatorsOf(&Oldest())}, new_;
};

TEST_F(OldTextTest, Attention) { ExpectModulesAgree("Attention(24, heads=3)", {Noise("x", {2, 7, 24})}); }

TEST_F(OldTextTest, AttentionOfMoreTokensThanFitAtOnce) {
  ExpectModulesAgree("Attention(24, heads=3)", {Noise("x", {2, 700, 24})});
}

TEST_F(OldTextTest, AttentionInPartsOfHeadsAndQueries) {
  const at::Tensor q = Noise("q", {2, 3, 7, 4}), k = Noise("k", {2, 3, 7, 4}), v = Noise("v", {2, 3, 7, 4});
  const at::Tensor expected = q.matmul(k.transpose(-2, -1)).softmax(-1).matmul(v);
  // All 6 heads, 4 and then 2, one; 7 queries, 3 at a time, one.
  for (const int64_t heads : {6, 4, 1}) {
    for (const int64_t queries : {7, 3, 0}) {
      SCOPED_TRACE(absl::StrCat(heads, " heads, ", queries, " queries"));
      ExpectNear(Run(old_, "attention_in_parts", {q, k, v, heads, heads * queries * 7}), expected);
    }
  }
}

TEST_F(OldTextTest, SwiGlu) { ExpectModulesAgree("SwiGLU(24, 40)", {Noise("x", {2, 7, 24})}); }

TEST_F(OldTextTest, AntialiasedBicubicInterpolation) {
  const at::Tensor x = Noise("x", {1, 3, 37, 37});
  for (const std::vector<int64_t>& size :
       std::vector<std::vector<int64_t>>{{37, 37}, {36, 38}, {20, 31}, {5, 12}, {1, 2}, {74, 50}, {111, 3}}) {
    SCOPED_TRACE(at::IntArrayRef(size));
    ExpectFunctionsAgree("upsample_bicubic2d_aa", {x, size});
  }
}

TEST_F(OldTextTest, RotationsOfSphericalHarmonics) {
  // In float32 the error of matrix_exp is larger than that of the text.
  const at::Tensor angles = at::linspace(-7, 7, 57, at::kDouble);
  for (const int64_t degree : {1, 2}) {
    const c10::IValue generators = Run(new_, "so3_generators", {degree, angles});
    for (const c10::IValue& generator : generators.toTupleRef().elements()) {
      ExpectFunctionsAgree("rotation_by", {angles, generator});
    }
  }
}

TEST_F(OldTextTest, QlDecomposition) { ExpectFunctionsAgree("ql_decomposition", {Noise("A", {4, 3, 3})}); }

}  // namespace
}  // namespace modelport
