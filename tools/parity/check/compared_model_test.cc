#include "tools/parity/check/compared_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using torch::jit::Module;

// A module that scales by a setting, in a module that calls it `child`, and its argument `argument`.
Module Net(const std::string& child, const std::string& setting, const std::string& argument, double value) {
  Module scale("Scale");
  scale.register_attribute(setting, c10::FloatType::get(), value);
  scale.register_parameter("weight", at::ones({3}), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight * self." + setting + "\n");
  Module net("Net");
  net.register_module(child, scale);
  net.define("def forward(self, " + argument + ": Tensor) -> Tensor:\n  return self." + child + ".forward(" + argument +
             ") + 1\n");
  return net;
}

ComparedModel Ours(double value) {
  return {.name = "net", .module = Net("scale", "factor", "x", value), .examples = {*ParseCall("forward([2, 3])")}};
}

class ComparedModelTest : public testing::Test {
 protected:
  // A file in which upstream calls all by other names.
  std::string Theirs() {
    const std::string path = folder_ + "/their.pt";
    Net("gain", "amount", "image", 2).save(path);
    return path;
  }

  std::string Names(const std::string& yaml) {
    const std::string path = folder_ + "/names.yaml";
    std::ofstream(path) << yaml;
    return path;
  }

  const std::string folder_ = testing::TempDir();
};

TEST_F(ComparedModelTest, AScriptWithOtherNamesIsPairedByAFile) {
  const std::string names = Names("modules: {gain: scale}\nsettings: {amount: factor}\n");
  ASSERT_OK_AND_ASSIGN(const Reference reference, LoadReference(Theirs(), names, Ours(2)));
  ASSERT_OK_AND_ASSIGN(const ParityReport right, CheckParity(Ours(2), reference, {}, /*bisects=*/true));
  EXPECT_TRUE(right.passed());
  EXPECT_EQ(right.settings.equal, 1);
  EXPECT_EQ(right.comparison.tensors.size(), 3);
  EXPECT_TRUE(right.comparison.not_computed.empty());
  ASSERT_OK_AND_ASSIGN(const ParityReport wrong, CheckParity(Ours(3), reference, {}, /*bisects=*/true));
  ASSERT_TRUE(wrong.smallest.has_value());
  EXPECT_EQ(wrong.smallest->path, "scale");
}

TEST_F(ComparedModelTest, WithoutNamesTheirStagesAreNotCompared) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, LoadReference(Theirs(), "", Ours(2)));
  ASSERT_OK_AND_ASSIGN(const ParityReport report, CheckParity(Ours(2), reference, {}, /*bisects=*/false));
  EXPECT_EQ(report.comparison.tensors.size(), 1);
  EXPECT_EQ(report.comparison.not_computed.size(), 2);
}

TEST_F(ComparedModelTest, AnArtifactTakesAnyReferenceButHasNoExample) {
  ASSERT_OK_AND_ASSIGN(const ComparedModel artifact, LoadComparedArtifact(Theirs()));
  ASSERT_OK_AND_ASSIGN(Reference own, RecordModel(Ours(2), absl::nullopt, folder_ + "/own.safetensors"));
  own.arguments = {{"image", own.arguments.at("x")}};
  ASSERT_OK(WriteReference(own, own.path));
  ASSERT_OK_AND_ASSIGN(const Reference reference, LoadReference(own.path, "", artifact));
  ASSERT_OK_AND_ASSIGN(const ParityReport report, CheckParity(artifact, reference, {}, /*bisects=*/false));
  EXPECT_TRUE(report.passed());
  EXPECT_THAT(RecordModel(artifact, absl::nullopt, "r"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("give --reference=FILE, a safetensors file")));
}

TEST_F(ComparedModelTest, AFileThatIsNoScriptIsAnError) {
  ASSERT_OK_AND_ASSIGN(const Reference own, RecordModel(Ours(2), absl::nullopt, folder_ + "/own.safetensors"));
  ASSERT_OK(WriteReference(own, own.path));
  EXPECT_THAT(LoadComparedArtifact(own.path),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("own.safetensors: not a TorchScript file")));
}

torch::jit::Module LogOfInner() {
  torch::jit::Module inner("Inner");
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  y = x - 1\n  return torch.log(y)\n");
  torch::jit::Module toy("Toy");
  toy.register_module("inner", inner);
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  x = x + 0\n  return self.inner.forward(x) * 2\n");
  return toy;
}

TEST(FindNonfiniteOperatorTest, TheFirstOneAndItsLine) {
  ASSERT_OK_AND_ASSIGN(const auto found, FindNonfiniteOperator(LogOfInner(), "forward", {at::ones({3})}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->call, "aten::log(float32 [3])");
  EXPECT_EQ(found->line.text, "return torch.log(y)");
}

TEST(FindNonfiniteOperatorTest, NoneWhereAllIsFinite) {
  ASSERT_OK_AND_ASSIGN(const auto found, FindNonfiniteOperator(LogOfInner(), "forward", {at::full({3}, 3.0)}));
  EXPECT_FALSE(found);
  EXPECT_THAT(FindNonfiniteOperator(LogOfInner(), "backward", {}),
              StatusIs(absl::StatusCode::kNotFound, "no method backward"));
}

}  // namespace

}  // namespace modelport
