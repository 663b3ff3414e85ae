#include "tools/parity/check/compared_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <memory>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;
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
  return {.name = "net",
          .module = std::make_shared<const Module>(Net("scale", "factor", "x", value)),
          .examples = {*ParseCall("forward([2, 3])")}};
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

Reference Theirs() {
  Reference reference = {.path = "r.safetensors", .model = "net"};
  for (const char* name :
       {"input of encoder.layer.0", "encoder.layer.0 [1] -> 0", "encoder.norm", "pooler", "output"}) {
    reference.expected.emplace_back(name, at::zeros({1}));
  }
  reference.slices["encoder.norm"] = "[::2]";
  reference.settings["encoder.layer.0"] = {{"num_heads", 2}, {"eps", 1e-6}};
  reference.settings["pooler"] = {{"num_heads", 2}};
  return reference;
}

absl::StatusOr<Reference> Renamed(absl::string_view yaml) {
  const auto names = ParseReferenceNames("names.yaml", yaml);
  if (!names.ok()) return names.status();
  Reference reference = Theirs();
  const absl::Status status = RenameReference(*names, reference);
  if (!status.ok()) {
    EXPECT_EQ(reference.expected.size(), Theirs().expected.size());
    return status;
  }
  return reference;
}

std::vector<std::string> Names(const Reference& reference) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : reference.expected) names.push_back(name);
  return names;
}

TEST(RenameReferenceTest, TheLongestPathThatFitsIsTakenAndNullLeavesOut) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("modules:\n"
                                                          "  encoder: backbone\n"
                                                          "  encoder.layer: blocks\n"
                                                          "  pooler: null\n"));
  EXPECT_THAT(Names(reference), ElementsAre("input of blocks.0", "blocks.0 [1] -> 0", "backbone.norm", "output"));
  EXPECT_THAT(reference.slices, ElementsAre(std::pair("backbone.norm", "[::2]")));
  EXPECT_THAT(reference.settings, ElementsAre(Key("blocks.0")));
}

TEST(RenameReferenceTest, SettingsGetTheirNamesInAllModules) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("settings: {num_heads: heads, eps: null}"));
  EXPECT_THAT(Names(reference),
              ElementsAre("input of encoder.layer.0", "encoder.layer.0 [1] -> 0", "encoder.norm", "pooler", "output"));
  EXPECT_THAT(reference.settings.at("encoder.layer.0"), UnorderedElementsAre(Key("heads")));
  EXPECT_THAT(reference.settings.at("pooler"), UnorderedElementsAre(Key("heads")));
}

TEST(RenameReferenceTest, AModuleMayMoveToTheRoot) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("modules: {encoder: \"\"}"));
  EXPECT_THAT(Names(reference), ElementsAre("input of layer.0", "layer.0 [1] -> 0", "norm", "pooler", "output"));
}

TEST(RenameReferenceTest, NamesThatMatchNothingOrCollideAreErrors) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(
      Renamed("modules: {encodr: backbone}"),
      StatusIs(kInvalid, AllOf(HasSubstr("names.yaml: the reference has no module encodr"), HasSubstr("nearest: "))));
  EXPECT_THAT(Renamed("settings: {num_head: heads}"), StatusIs(kInvalid, HasSubstr("nearest: num_heads")));
  EXPECT_THAT(Renamed("modules: {pooler: encoder.norm}"),
              StatusIs(kInvalid, HasSubstr("two stages of the reference become encoder.norm, one of them pooler")));
  EXPECT_THAT(Renamed("module: {encoder: backbone}"),
              StatusIs(kInvalid, HasSubstr("names.yaml:1:1: unknown field \"module\"")));
  EXPECT_THAT(Renamed("modules: {encoder: [backbone]}"), StatusIs(kInvalid, HasSubstr("field \"encoder\"")));
}

}  // namespace
}  // namespace modelport
