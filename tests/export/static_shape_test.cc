// Exports for images of one size. What they compute is compared with exports for all sizes.
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "artifact/export/export_model.h"
#include "artifact/verify/verify_artifact.h"
#include "bench/seeded_file.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/image_size.h"
#include "common/torchscript/archive/load_module.h"
#include "common/torchscript/proof/compare_values.h"
#include "common/torchscript/proof/example.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using torch::jit::Module;

using Change = std::function<void(ExportOptions&)>;

constexpr ImageSize kSize = {28, 42};

void ForOneSize(ExportOptions& options) { options.static_shape = kSize; }

const Registry& TestRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  return *registry;
}

// Exports `model` as m.pt in `folder`, as each of `changes` says.
absl::StatusOr<Manifest> Export(const std::string& folder, const std::string& model,
                                const std::vector<Change>& changes) {
  ASSIGN_OR_RETURN(const CatalogEntry entry, TestRegistry().Find(model));
  ExportOptions options;
  // With these weights the views of a nested model can be aligned.
  options.weights = Seeded{19};
  options.out = folder + "/m.pt";
  for (const Change& change : changes) change(options);
  return ExportModel(TestRegistry(), entry, options);
}

absl::StatusOr<Module> ExportAndLoad(const std::string& model, const std::vector<Change>& changes) {
  const std::string folder = EmptyFolder("loaded");
  RETURN_IF_ERROR(Export(folder, model, changes).status());
  return LoadModule(folder + "/m.pt");
}

absl::Status Verify(const std::string& folder) { return VerifyArtifact(TestRegistry(), folder + "/m.pt", {}).status(); }

absl::StatusOr<c10::IValue> RunCall(const Module& module, const std::string& call) {
  ASSIGN_OR_RETURN(const Call parsed, ParseCall(call));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> outputs, RunExamples(module, {parsed}));
  return outputs.front();
}

// Calls of entry points on images of kSize, by what tests/support/examples.txt has a model for.
const struct {
  std::string need;
  std::vector<std::string> calls;
} kCases[] = {
    {"depth", {"forward([1, 3, 28, 42])", "forward([2, 3, 28, 42])"}},
    {"features",
     {"forward([1, 3, 28, 42])", "forward_features([2, 3, 28, 42])", "image_features([1, 3, 28, 42])",
      "get_intermediate_layers([1, 3, 28, 42], [0, 1], true, true, true)"}},
    {"features with registers", {"forward([1, 3, 28, 42])"}},
    {"two files", {"forward([2, 3, 28, 42])"}},
    {"views", {"forward([1, 1, 3, 28, 42])", "forward([2, 3, 3, 28, 42])"}},
    {"views in metres", {"forward([1, 2, 3, 28, 42])"}},
    {"one view", {"forward([1, 1, 3, 28, 42])"}},
};

void ExpectEqualOutputs(const std::vector<Change>& changes) {
  std::vector<Change> static_changes = changes;
  static_changes.push_back(ForOneSize);
  for (const auto& [need, calls] : kCases) {
    const std::string model = ExampleModel(need);
    ASSERT_OK_AND_ASSIGN(const Module of_any_size, ExportAndLoad(model, changes));
    ASSERT_OK_AND_ASSIGN(const Module of_one_size, ExportAndLoad(model, static_changes));
    for (const std::string& call : calls) {
      ASSERT_OK_AND_ASSIGN(const c10::IValue expected, RunCall(of_any_size, call));
      ASSERT_OK_AND_ASSIGN(const c10::IValue actual, RunCall(of_one_size, call));
      ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(expected, actual, call));
      EXPECT_EQ(difference.max_abs, 0) << model << " " << call;
    }
  }
}

TEST(StaticShapeTest, OutputsEqualThoseOfAnArtifactForAllSizes) { ExpectEqualOutputs({}); }

TEST(StaticShapeTest, SoDoHalfPrecisionOutputs) {
  ExpectEqualOutputs({[](ExportOptions& options) { options.dtype = DType::kFloat16; }});
}

TEST(StaticShapeTest, SoDoOutputsOfArtifactsForAnOldRuntime) {
  ASSERT_OK_AND_ASSIGN(const Runtime* const runtime, FindRuntime("1.6"));
  ExpectEqualOutputs({[&](ExportOptions& options) { options.runtime = runtime; }});
}

// Hosts move parameters and buffers to a device.
TEST(StaticShapeTest, TheTablesAreBuffers) {
  ASSERT_OK_AND_ASSIGN(const Module module, ExportAndLoad(ExampleModel("views"), {ForOneSize}));
  std::vector<std::string> names;
  for (const auto& buffer : module.named_buffers()) names.push_back(buffer.name);
  EXPECT_THAT(names, AllOf(Contains("backbone.pretrained.interpolate_pos_encoding_table"),
                           Contains("backbone.pretrained.rotations_table")));
}

// The calls with images of another height, and of another width.
TEST(StaticShapeTest, EveryEntryPointRefusesOtherSizes) {
  for (const auto& [need, calls] : kCases) {
    ASSERT_OK_AND_ASSIGN(const Module module, ExportAndLoad(ExampleModel(need), {ForOneSize}));
    for (const std::string& call : calls) {
      for (const std::string size : {"42, 42]", "28, 28]", "42, 28]"}) {
        const std::string other = absl::StrReplaceAll(call, {{"28, 42]", size}});
        EXPECT_THAT(RunCall(module, other).status().message(),
                    AllOf(HasSubstr("this artifact takes images of 28x42 pixels only"),
                          HasSubstr("or export the model without --static_shape")))
            << other;
      }
    }
  }
}

TEST(StaticShapeTest, TheManifestStatesTheSize) {
  const std::string any = EmptyFolder("any"), one = EmptyFolder("one"), model = ExampleModel("views");
  ASSERT_OK_AND_ASSIGN(const Manifest of_any_size, Export(any, model, {}));
  ASSERT_OK_AND_ASSIGN(const Manifest of_one_size, Export(one, model, {ForOneSize}));
  EXPECT_THAT(of_any_size.static_shape(), IsEmpty());
  EXPECT_THAT(of_one_size.static_shape(), ElementsAre(28, 42));
  EXPECT_EQ(of_one_size.tensors(), of_any_size.tensors() + 2);
  EXPECT_EQ(of_one_size.parameters(), of_any_size.parameters());
  EXPECT_THAT(of_any_size.entry_points(0).inputs(0).shape(), ElementsAre("B", "N", "3", "H", "W"));
  EXPECT_THAT(of_one_size.entry_points(0).inputs(0).shape(), ElementsAre("B", "N", "3", "28", "42"));
  EXPECT_THAT(of_one_size.entry_points(0).outputs(0).shape(), ElementsAre("B", "N", "28", "42"));
  EXPECT_GT(of_any_size.entry_points(0).inputs(0).recommended_size(), 0);
  EXPECT_EQ(of_one_size.entry_points(0).inputs(0).recommended_size(), 0);
  std::vector<std::string> calls;
  for (const auto& output : of_one_size.round_trip().outputs()) calls.push_back(output.call());
  EXPECT_THAT(calls,
              ElementsAre("forward([1, 1, 3, 28, 42])", "forward([1, 3, 3, 28, 42])", "forward([2, 2, 3, 28, 42])"));
  const auto names = [](const Manifest& manifest) {
    std::vector<std::string> operators;
    for (const auto& op : manifest.operators()) operators.push_back(op.name());
    return operators;
  };
  EXPECT_THAT(names(of_any_size), AllOf(Contains("aten::upsample_bicubic2d"), Contains("aten::sin")));
  EXPECT_THAT(names(of_one_size), Not(Contains("aten::upsample_bicubic2d")));
}

// The plugin has two examples of forward, which differ in their sizes only.
TEST(StaticShapeTest, TheProofMakesEqualCallsOnce) {
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, Export(EmptyFolder("once"), ExampleModel("features"), {ForOneSize}));
  ASSERT_EQ(manifest.round_trip().outputs_size(), 2);
  EXPECT_EQ(manifest.round_trip().outputs(0).call(), "forward([1, 3, 28, 42])");
  EXPECT_EQ(manifest.round_trip().outputs(1).call(),
            "get_intermediate_layers([2, 3, 28, 42], [0, 1], true, true, true)");
}

TEST(StaticShapeTest, VerifyMakesTheSameArtifactAnew) {
  const std::string folder = EmptyFolder("verify");
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, Export(folder, ExampleModel("views"), {ForOneSize}));
  EXPECT_OK(Verify(folder));
  const std::vector<std::vector<uint32_t>> shapes = {{}, {28}, {42, 28}, {28, 56}, {28, 43}, {0, 0}, {28, 42, 1}};
  for (const std::vector<uint32_t>& shape : shapes) {
    Manifest altered = manifest;
    altered.clear_static_shape();
    for (const uint32_t side : shape) altered.add_static_shape(side);
    std::ofstream(folder + "/m.manifest.json") << *WriteManifest(altered);
    EXPECT_EQ(Verify(folder).code(), absl::StatusCode::kDataLoss);
  }
}

TEST(StaticShapeTest, WorksWithKeptOutputsAndFromACheckpoint) {
  const std::string folder = EmptyFolder("kept"), model = ExampleModel("views");
  const Change depth_alone = [](ExportOptions& options) { options.outputs = {"depth"}; };
  ASSERT_OK(Export(folder, model, {ForOneSize, depth_alone}));
  EXPECT_OK(Verify(folder));
  const std::string checkpoint = folder + "/c.safetensors";
  ASSERT_OK(WriteSeededSafetensors(*TestRegistry().Find(model), checkpoint));
  ASSERT_OK(Export(folder, model,
                   {ForOneSize, [&](ExportOptions& options) { options.weights = CheckpointFiles{{checkpoint}}; }}));
  EXPECT_OK(VerifyArtifact(TestRegistry(), folder + "/m.pt", {checkpoint}));
  EXPECT_OK(Verify(folder));
}

TEST(StaticShapeTest, LintFindsThatTheSizeIsFixedAndNothingElse) {
  const std::string folder = EmptyFolder("lint");
  ASSERT_OK_AND_ASSIGN(const Runtime* const runtime, FindRuntime("1.6"));
  ASSERT_OK(
      Export(folder, ExampleModel("views"), {ForOneSize, [&](ExportOptions& options) { options.runtime = runtime; }}));
  const ToolResult lint = RunTool("lint", {"m.pt", "--runtime=1.6"}, folder);
  EXPECT_EQ(lint.exit_status, 1);
  EXPECT_THAT(lint.out, AllOf(StartsWith("fixed size, module "), HasSubstr("with a table of fixed sizes"),
                              HasSubstr("\n1 finding; runs in LibTorch 1.6 and newer")));
}

TEST(StaticShapeTest, WhatCannotBeOfOneSizeIsAnErrorAndWritesNothing) {
  const std::string folder = EmptyFolder("errors");
  const auto of = [](int64_t height, int64_t width) {
    return [=](ExportOptions& options) { options.static_shape = {height, width}; };
  };
  const Change for_nuke = [](ExportOptions& options) { options.target = *FindTarget("nuke"); };
  const Change with_preprocess = [](ExportOptions& options) { options.with_preprocess = true; };
  const struct {
    std::string need;
    std::vector<Change> changes;
    std::string message;
  } cases[] = {
      {"depth", {of(27, 100)}, "multiples of 14; the nearest is 28x98"},
      {"depth", {of(1, 14)}, "the nearest is 14x14"},
      {"depth", {of(28, 42), for_nuke}, "a node of nuke gets images of any size: leave --static_shape out"},
      {"depth", {of(28, 42), with_preprocess}, "leave out --static_shape or --with_preprocess"},
      {"classes", {of(28, 42)}, "the model computes nothing from the size alone: leave --static_shape out"},
      {"matte", {of(28, 42)}, "the model computes nothing from the size alone"},
      {"points", {of(28, 42)}, "forward takes images of any size, which it resizes itself"},
  };
  for (const auto& [need, changes, message] : cases) {
    EXPECT_THAT(
        Export(folder, ExampleModel(need), changes),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("--static_shape="), HasSubstr(ExampleModel(need) + ": "), HasSubstr(message))));
  }
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

}  // namespace
}  // namespace modelport
