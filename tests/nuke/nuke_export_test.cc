// The flag --target=nuke of export.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Exports in `folder` for Nuke.
ToolResult Export(const std::string& folder, const std::string& model, const std::string& target = "nuke",
                  const std::string& plugins = DataPath("models")) {
  return RunTool("export", {"--model=" + model, "--weights=seeded", "--target=" + target, "--plugin_path=" + plugins},
                 folder);
}

nlohmann::json ReadManifest(const std::string& folder, const std::string& model) {
  return nlohmann::json::parse(ReadFile(folder + "/" + model + ".manifest.json"));
}

TEST(NukeExportTest, TheManifestStatesTargetEntryPointKnobsAndProof) {
  const std::string folder = EmptyFolder("nuke");
  const ToolResult result = Export(folder, ExampleModel("depth for a focal length"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("target      nuke\n"));
  EXPECT_THAT(FileNames(folder), ElementsAre(ExampleModel("depth for a focal length") + ".manifest.json",
                                             ExampleModel("depth for a focal length") + ".pt"));

  const nlohmann::json manifest = ReadManifest(folder, ExampleModel("depth for a focal length"));
  EXPECT_EQ(manifest["request"]["target"], "nuke");
  EXPECT_THAT(manifest["methods"], ElementsAre("forward(Tensor x) -> Tensor"));
  EXPECT_THAT(manifest["round_trip"]["outputs"], testing::SizeIs(4));
  std::vector<std::string> knobs;
  for (const auto& knob : manifest["knobs"]) knobs.push_back(knob["name"]);
  EXPECT_THAT(knobs, ElementsAre("max_size", "convention", "normalize", "focal", "scale", "unit"));
  EXPECT_EQ(manifest["knobs"][0]["type"], "int");
  EXPECT_EQ(manifest["knobs"][0]["value"], 1008);
  EXPECT_EQ(manifest["knobs"][0]["max"], 4096);
  EXPECT_EQ(manifest["knobs"][3]["type"], "float");
  EXPECT_THAT(manifest["knobs"][3]["help"].get<std::string>(), StartsWith("Focal length in pixels"));
}

// A direction, unit or range that a knob may have changed is not stated.
TEST(NukeExportTest, OfKnobsThatAreSetNoUnitIsStated) {
  const std::string model = ExampleModel("depth for a focal length");
  for (const bool is_set : {false, true}) {
    const std::string folder = EmptyFolder("units");
    std::vector<std::string> flags = {"--model=" + model, "--weights=seeded", "--target=nuke",
                                      "--plugin_path=" + DataPath("models")};
    if (is_set) flags.push_back("--knob=convention=1");
    const ToolResult result = RunWarmTool("export", flags, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    const nlohmann::json depth = ReadManifest(folder, model)["entry_points"][0]["outputs"][0];
    EXPECT_EQ(depth.value("larger_is", ""), is_set ? "" : "farther");
    EXPECT_EQ(depth.contains("min"), !is_set);
    const ToolResult verified = RunWarmTool("verify", {model + ".pt", "--plugin_path=" + DataPath("models")}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }
}

TEST(NukeExportTest, VerifyRebuildsItForItsTarget) {
  const std::string folder = EmptyFolder("verify");
  ASSERT_EQ(Export(folder, ExampleModel("features")).exit_status, 0);
  const std::vector<std::string> arguments = {"--artifact=" + ExampleModel("features") + ".pt",
                                              "--plugin_path=" + DataPath("models")};
  const ToolResult verified = RunTool("verify", arguments, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("forward([1, 3, 5, 9])"));
}

TEST(NukeExportTest, TwoExportsAreByteIdentical) {
  const std::string first = EmptyFolder("first"), second = EmptyFolder("second");
  ASSERT_EQ(Export(first, DepthModel()).exit_status, 0);
  ASSERT_EQ(Export(second, DepthModel()).exit_status, 0);
  for (const std::string& name : FileNames(first))
    EXPECT_EQ(ReadFile(first + "/" + name), ReadFile(second + "/" + name));
}

TEST(NukeExportTest, AnUnknownTargetIsAnError) {
  const std::string folder = EmptyFolder("unknown");
  const ToolResult result = Export(folder, DepthModel(), "nukes");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: --target=nukes: unknown target \"nukes\"; nearest: nuke\n"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

TEST(NukeExportTest, ARootWithoutAWrapperIsAnErrorThatNamesThePlugin) {
  const std::string plugins = EmptyFolder("bare"), folder = EmptyFolder("none");
  std::ofstream(plugins + "/plugin.yaml") << R"yaml(family: bare
summary: no wrapper
upstream: {source: x, commit: y, licence: MIT}
uses: [layers]
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([1, 3])"]
variants:
  bare: {summary: s, module: "Linear(3, 2)", file: bare.pth, url: u, licence: MIT}
)yaml";
  std::ofstream(plugins + "/keymap.yaml") << "layouts: {original: {recognise: [weight]}}\n";
  EXPECT_EQ(Export(folder, "bare", "libtorch", plugins).exit_status, 0);
  const ToolResult result = Export(EmptyFolder("refused"), "bare", "nuke", plugins);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: --target=nuke: bare does not support this target: " + plugins +
                                     "/plugin.yaml names no wrapper for Linear under targets: nuke\n"));
  EXPECT_THAT(FileNames(testing::TempDir() + "/refused"), IsEmpty());
}

// Exports a small model for Nuke into the folder "wrapped_out". Its wrapper has these attributes and returns `result`.
ToolResult ExportWrapped(const std::string& attributes, const std::string& result) {
  const std::string plugins = EmptyFolder("wrapped"), folder = EmptyFolder("wrapped_out");
  std::ofstream(plugins + "/plugin.yaml") << R"yaml(family: wrapped
summary: a wrapper that Nuke cannot use
upstream: {source: x, commit: y, licence: MIT}
uses: [layers]
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([1, 3])"]
targets: {nuke: {Linear: Wrapper()}}
variants:
  wrapped: {summary: s, module: "Linear(3, 1000)", file: wrapped.pth, url: u, licence: MIT}
)yaml";
  std::ofstream(plugins + "/modules.yaml") << R"yaml(modules:
  Wrapper():
    interface: {kind: features, channels_in: [rgba.red, rgba.green, rgba.blue], channels_out: [rgba.red], category: c, examples: ["forward([1, 3, 4, 5])"]}
)yaml" << attributes << R"yaml(    methods: |
      def forward(self, x: Tensor) -> Tensor:
        y = self.model(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return )yaml" << result << "\n";
  std::ofstream(plugins + "/keymap.yaml") << "layouts: {original: {recognise: [weight]}}\n";
  return Export(folder, "wrapped", "nuke", plugins);
}

TEST(NukeExportTest, WhatPackageRefusesExportRefuses) {
  EXPECT_EQ(ExportWrapped("", "y[:, 0:1]").exit_status, 0);
  const struct {
    const char *attributes, *result, *error;
  } cases[] = {
      {"", "y.mean([2, 3])",
       "FAILED_PRECONDITION: wrapped: Nuke wants an output of shape [batch, 1, height, width] for the wrapper's "
       "channels_out rgba.red; forward([1, 3, 4, 5]) has [1, 1000]\n"},
      {"", "y", "forward([1, 3, 4, 5]) has [1, 1000, 4, 5]\n"},
      {"    attributes: {invert: false}\n", "y[:, 0:1]", "attribute invert is a bool"}};
  for (const auto& c : cases) {
    const ToolResult result = ExportWrapped(c.attributes, c.result);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(c.error));
    EXPECT_THAT(FileNames(testing::TempDir() + "/wrapped_out"), IsEmpty());
  }
}

// A part of an output that is larger than the image would be taken for the whole.
TEST(NukeExportTest, AModelWhoseOutputHasAnotherSizeIsAnError) {
  const std::string depth = "NukeDepth(mean, std, 2, larger_is_nearer)", upscale = "NukeUpscale(2, 2)";
  const struct {
    std::string wrapper, result, knob;
    bool is_right;
  } cases[] = {{depth, "y[:, 0]", "max_size=0", true},
               {depth, "larger(y, 2)[:, 0]", "max_size=0", false},
               {depth, "larger(y, 2)[:, 0]", "max_size=16", false},
               {depth, "y[:, 0, 0:1]", "max_size=0", false},
               {depth, "y", "max_size=0", false},
               {upscale, "larger(y, 2)", "tile_size=0", true},
               {upscale, "larger(y, 4)", "tile_size=0", false},
               {upscale, "larger(y, 2)", "tile_size=8", true},
               {upscale, "larger(y, 4)", "tile_size=8", false}};
  for (const auto& c : cases) {
    const std::string plugins = EmptyFolder("sized"), folder = EmptyFolder("sized_out");
    std::ofstream(plugins + "/plugin.yaml") << R"yaml(family: sized
summary: a model under a wrapper that comes with Modelport
upstream: {source: x, commit: y, licence: MIT}
uses: [layers, nuke]
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([1, 3, 4, 6])"]
targets: {nuke: {Net: ")yaml" << c.wrapper << R"yaml("}}
variants:
  sized: {summary: s, module: Net(), file: sized.pth, url: u, licence: MIT}
)yaml";
    std::ofstream(plugins + "/modules.yaml") << R"yaml(modules:
  Net():
    children: {conv: "Conv2d(3, 3, 1)"}
    entry_points:
      forward:
        inputs: [{name: x, shape: [B, 3, H, W]}]
        outputs: [{name: depth, shape: [B, h, w], larger_is: nearer}]
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        return )yaml" << c.result << R"yaml(
functions:
  - |
    def larger(x: Tensor, times: int) -> Tensor:
      return torch.upsample_bilinear2d(x, [times * x.shape[2], times * x.shape[3]], False)
)yaml";
    std::ofstream(plugins + "/keymap.yaml") << "layouts: {original: {recognise: [conv.weight]}}\n";
    const ToolResult result = RunTool(
        "export",
        {"--model=sized", "--weights=seeded", "--target=nuke", "--plugin_path=" + plugins, "--knob=" + c.knob}, folder);
    SCOPED_TRACE(c.wrapper + " " + c.result + " " + c.knob);
    if (c.is_right) {
      EXPECT_EQ(result.exit_status, 0) << result.err;
      continue;
    }
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr("the output of the wrapped model must have "));
    EXPECT_THAT(FileNames(folder), IsEmpty());
  }
}

}  // namespace
}  // namespace modelport
