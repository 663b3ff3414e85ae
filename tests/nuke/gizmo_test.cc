// The nodes of packages, evaluated by a stand-in for Nuke.
#include "tests/nuke/gizmo.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argmin.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "artifact/export/export_model.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/nuke/nuke_model.h"
#include "tests/nuke/nuke_script.h"
#include "tests/nuke/plate.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

// The manifest of a test model's artifact.
Manifest ManifestOf(const std::string& name) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  const NukeTestModel model = FindNukeTestModel(name);
  ExportOptions options;
  options.request.entry = *registry->Find(model.model);
  options.request.weights = Seeded{0};
  options.request.target = *FindTarget("nuke");
  options.request.wrapper = model.wrapper;
  options.prove = false;
  options.out = absl::StrCat(testing::TempDir(), "/gizmo_", name, ".pt");
  const absl::StatusOr<Manifest> manifest = ExportModel(*registry, options);
  EXPECT_THAT(manifest, IsOk());
  return *manifest;
}

// The script with this ending among the files of a folder.
std::string ScriptIn(const absl::StatusOr<std::vector<PackageFile>>& files, absl::string_view ending) {
  EXPECT_THAT(files, IsOk());
  const auto script = std::find_if(files->begin(), files->end(),
                                   [&](const PackageFile& file) { return absl::EndsWith(file.name, ending); });
  return script->text;
}

// The gizmo among the files of a folder, with the artifacts that GetNukeModel has.
Gizmo GizmoIn(const absl::StatusOr<std::vector<PackageFile>>& files, const Manifest& manifest,
              const std::vector<std::string>& names) {
  std::map<std::string, torch::jit::Module> modules;
  for (const std::string& name : names) modules.emplace(name, GetNukeModel(name).nuke);
  const auto& interface = manifest.interface();
  return {ScriptIn(files, ".gizmo"),
          std::move(modules),
          {interface.channels_in().begin(), interface.channels_in().end()},
          {interface.channels_out().begin(), interface.channels_out().end()}};
}

// The gizmo of a test model.
Gizmo GizmoOf(const std::string& name) {
  const Manifest manifest = ManifestOf(name);
  return GizmoIn((*FindTarget("nuke"))->package(manifest, ""), manifest, {name});
}

const std::vector<std::string>& Rgb() {
  static const auto* const names = new std::vector<std::string>{"rgba.red", "rgba.green", "rgba.blue"};
  return *names;
}

// A linear plate whose pixels reach beyond its format, another one for each frame.
Plate PlateAt(double frame) {
  Plate plate = {40, 30, {-6, -3, 48, 33}, {}, /*pixel_aspect=*/2, "a tape"};
  const at::Tensor pixels = SeededImage(1, 5, 36, 54)[0];
  const std::vector<std::string> names = {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha", "mask.a"};
  for (size_t i = 0; i < names.size(); ++i) {
    plate.channels[names[i]] = at::clamp(pixels[i].mul(0.5 + frame / 16), 0, 1).contiguous();
  }
  return plate;
}

void ExpectNear(const at::Tensor& expected, const at::Tensor& actual) {
  ASSERT_EQ(expected.sizes(), actual.sizes());
  EXPECT_LE(expected.sub(actual).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
}

// The plate, but for the channels that the node makes.
void ExpectPasses(const Plate& before, const Plate& after, const std::vector<std::string>& made) {
  EXPECT_EQ(after.width, before.width);
  EXPECT_EQ(after.height, before.height);
  EXPECT_EQ(after.box, before.box);
  EXPECT_EQ(after.pixel_aspect, before.pixel_aspect);
  EXPECT_EQ(after.metadata, before.metadata);
  for (const auto& [name, pixels] : before.channels) {
    if (std::find(made.begin(), made.end(), name) != made.end()) continue;
    ASSERT_EQ(after.channels.count(name), 1) << name;
    EXPECT_TRUE(at::equal(after.Get(name, before.box), pixels)) << name;
  }
}

class GizmoDepthTest : public testing::Test {
 protected:
  // The depth of an area of the plate, whose colours are linear or already encoded.
  at::Tensor Depth(const Area& area, bool is_linear = true) const {
    const at::Tensor image = PlateAt(1).Image(Rgb(), area);
    return model_.Run(is_linear ? ToSRGB(image) : image)[0][0];
  }

  const std::string name_ = NukeTestModels("NukeDepth").front();
  NukeModel model_ = GetNukeModel(name_);
  Gizmo gizmo_ = GizmoOf(name_);
};

TEST_F(GizmoDepthTest, TheFormatGetsItsDepth) {
  const Plate result = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), result, {});
  ExpectNear(Depth({0, 0, 40, 30}), result.Get("depth.Z", result.format()));
  gizmo_.Set("input_is_srgb", "true");
  ExpectNear(Depth({0, 0, 40, 30}, /*is_linear=*/false), gizmo_.Run(PlateAt, 1).Get("depth.Z", result.format()));
}

TEST_F(GizmoDepthTest, OutsideOfTheFormatThereIsNoDepth) {
  const Area box = PlateAt(1).box, format = PlateAt(1).format();
  at::Tensor depth = gizmo_.Run(PlateAt, 1).Get("depth.Z", box);
  EXPECT_GT(depth.abs().sum().item<double>(), 0);
  depth.slice(0, box.t - format.t, box.t).slice(1, -box.x, format.r - box.x).zero_();
  EXPECT_EQ(depth.abs().sum().item<double>(), 0);
}

TEST_F(GizmoDepthTest, WithOverscanTheWholeBoundingBoxDoes) {
  gizmo_.Set("overscan", "true");
  const Plate result = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), result, {});
  ExpectNear(Depth(PlateAt(1).box), result.Get("depth.Z", PlateAt(1).box));
}

TEST_F(GizmoDepthTest, KnobsReachTheModel) {
  gizmo_.Set("normalize", "true");
  const Area format = {0, 0, 40, 30};
  const at::Tensor depth = gizmo_.Run(PlateAt, 1).Get("depth.Z", format);
  EXPECT_EQ(depth.min().item<float>(), 0);
  EXPECT_EQ(depth.max().item<float>(), 1);
  gizmo_.Set("convention", "larger is nearer");
  const at::Tensor nearer = gizmo_.Run(PlateAt, 1).Get("depth.Z", format);
  gizmo_.Set("convention", "larger is farther");
  ExpectNear(nearer, gizmo_.Run(PlateAt, 1).Get("depth.Z", format).neg().add(1));
}

TEST_F(GizmoDepthTest, APreviewIsGreyOrInFalseColours) {
  gizmo_.Set("preview", "grey");
  gizmo_.Set("preview_high", "5");
  const Plate grey = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), grey, Rgb());
  const at::Tensor depth = grey.channels.at("depth.Z");
  for (const std::string& name : Rgb()) ExpectNear(at::clamp(depth.div(5), 0, 1), grey.channels.at(name));
  const Area format = grey.format();
  const at::Tensor inside = grey.Get("depth.Z", format);
  gizmo_.Set("preview", "false colours");
  // Between 0 and a number: the lowest is blue, the middle green, the highest red. Beyond them the colours stay.
  for (const double at : {-1.0, 0.0, 0.125, 0.5, 0.875, 2.0}) {
    const double low = inside.min().item<double>();
    // `at` of the way from the first number to the second.
    const double span = at > 0 ? low / at : low;
    gizmo_.Set("preview_low", absl::StrCat(at > 0 ? 0 : low - at * span));
    gizmo_.Set("preview_high", absl::StrCat(at > 0 ? span : low - at * span + span));
    const Plate coloured = gizmo_.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), coloured, Rgb());
    EXPECT_TRUE(at::equal(coloured.channels.at("depth.Z"), depth));
    const int64_t nearest = inside.argmin().item<int64_t>();
    std::vector<double> colour;
    for (const std::string& name : Rgb()) {
      colour.push_back(coloured.Get(name, format).reshape({-1})[nearest].item<double>());
    }
    const std::vector<double> expected = at <= 0     ? std::vector<double>{0, 0, 0.5}
                                         : at < 0.5  ? std::vector<double>{0, 0, 1}
                                         : at == 0.5 ? std::vector<double>{0.5, 1, 0.5}
                                         : at < 1    ? std::vector<double>{1, 0, 0}
                                                     : std::vector<double>{0.5, 0, 0};
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(colour[i], expected[i], 1e-4) << at << " " << Rgb()[i];
  }
}

TEST_F(GizmoDepthTest, DepthIsRemappedAlikeInAllFrames) {
  gizmo_.Set("remap", "true");
  gizmo_.Set("remap_from", "2");
  gizmo_.Set("remap_to", "-2");
  const Plate result = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), result, {});
  ExpectNear(Depth({0, 0, 40, 30}).sub(2).div(-4), result.Get("depth.Z", result.format()));
}

// A plate within its format, as that of a rendered thing.
Plate SmallPlateAt(double frame) {
  Plate plate = PlateAt(frame);
  plate.box = {3, 4, 30, 28};
  for (auto& [channel, pixels] : plate.channels) pixels = PlateAt(frame).Get(channel, plate.box);
  plate.channels["depth.Z"] = plate.channels.at("mask.a").add(1);
  return plate;
}

TEST_F(GizmoDepthTest, OfASmallerBoundingBoxThePixelsInItGetDepth) {
  const Plate plate = SmallPlateAt(1);
  const at::Tensor whole = model_.Run(ToSRGB(plate.Image(Rgb(), plate.format())))[0][0];
  // Overscan adds pixels, and takes none away.
  for (const char* const overscan : {"false", "true"}) {
    gizmo_.Set("overscan", overscan);
    const Plate result = gizmo_.Run(SmallPlateAt, 1);
    ExpectPasses(plate, result, {"depth.Z"});
    ExpectNear(whole.slice(0, 30 - 28, 30 - 4).slice(1, 3, 30), result.Get("depth.Z", plate.box));
  }
}

// A plate with a coarse depth, whose box moves right by a pixel a frame.
Plate MovingPlateAt(double frame) {
  Plate plate = PlateAt(frame);
  const int64_t right = static_cast<int64_t>(frame);
  plate.box = {3 + right, 4, 20 + right, 28};
  for (auto& [channel, pixels] : plate.channels) pixels = PlateAt(frame).Get(channel, plate.box);
  plate.channels["depth.Z"] = plate.channels.at("mask.a").add(1);
  return plate;
}

TEST(GizmoTest, ThePlateKeepsItsBoundingBox) {
  for (const char* const wrapper :
       {"NukeDepth", "NukeMatte", "NukeMask", "NukePrompt", "NukePromptedDepth", "NukeNormals", "NukeFeatures",
        "NukeClassMap", "NukeFlow", "NukeMotion", "NukeShot"}) {
    Gizmo gizmo = GizmoOf(NukeTestModels(wrapper).front());
    const Plate plate = MovingPlateAt(4), result = gizmo.Run(MovingPlateAt, 4);
    EXPECT_EQ(result.box, plate.box) << wrapper;
    EXPECT_EQ(result.width, plate.width) << wrapper;
    EXPECT_EQ(result.pixel_aspect, plate.pixel_aspect) << wrapper;
    EXPECT_EQ(result.metadata, plate.metadata) << wrapper;
  }
}

// What moves out of the box of the frame before is not cut off, and of a node that moves all channels also not beyond
// the format.
TEST(GizmoTest, ARetimedPlateHasTheBoxesOfBothFrames) {
  const auto expect_both = [](const char* wrapper, const auto& plate_at) {
    Gizmo gizmo = GizmoOf(NukeTestModels(wrapper).front());
    const Area both = Union(plate_at(2).box, plate_at(3).box);
    const Plate result = gizmo.Run(plate_at, 4);
    EXPECT_EQ(Union(result.box, both), result.box) << wrapper;
    EXPECT_EQ(result.pixel_aspect, plate_at(2).pixel_aspect) << wrapper;
    EXPECT_EQ(result.metadata, plate_at(2).metadata) << wrapper;
  };
  expect_both("NukeBetween", MovingPlateAt);
  expect_both("NukeRetime", [](double frame) { return MovingPlateAt(frame + 25); });
}

TEST(GizmoTest, APulldownChoosesTheModel) {
  const std::vector<std::string> names = NukeTestModels("NukeDepth");
  ASSERT_GT(names.size(), 2);
  // The first two that one node can run.
  const Manifest first = ManifestOf(names[0]);
  std::string other;
  absl::StatusOr<std::vector<PackageFile>> files;
  for (size_t i = 1; i < names.size() && other.empty(); ++i) {
    files = (*FindTarget("nuke"))->choice({first, ManifestOf(names[i])}, "chosen");
    if (files.ok()) other = names[i];
  }
  ASSERT_NE(other, "");
  Gizmo gizmo = GizmoIn(files, first, {names[0], other});
  const Area format = PlateAt(1).format();
  const at::Tensor image = ToSRGB(PlateAt(1).Image(Rgb(), format));
  ExpectNear(GetNukeModel(names[0]).Run(image)[0][0], gizmo.Run(PlateAt, 1).Get("depth.Z", format));
  gizmo.Set("which_model", other);
  ExpectNear(GetNukeModel(other).Run(image)[0][0], gizmo.Run(PlateAt, 1).Get("depth.Z", format));
}

TEST(GizmoTest, AMatteHasItsLayerAndReplacesAlphaOnDemand) {
  const std::string name = NukeTestModels("NukeMatte").front();
  Gizmo gizmo = GizmoOf(name);
  const Plate plate = PlateAt(1);
  std::vector<std::string> rgba = Rgb();
  rgba.push_back("rgba.alpha");
  at::Tensor image = plate.Image(rgba, plate.format());
  image.slice(1, 0, 3).copy_(ToSRGB(image.slice(1, 0, 3)));
  const at::Tensor matte = GetNukeModel(name).Run(image)[0][0];
  const Plate result = gizmo.Run(PlateAt, 1);
  ExpectPasses(plate, result, {});
  ExpectNear(matte, result.Get("matte.alpha", plate.format()));
  gizmo.Set("premultiply", "true");
  const Plate premultiplied = gizmo.Run(PlateAt, 1);
  ExpectNear(matte, premultiplied.Get("rgba.alpha", plate.format()));
  ExpectNear(plate.Get("rgba.red", plate.format()) * matte, premultiplied.Get("rgba.red", plate.format()));
  // The preview is the matte itself.
  gizmo.Set("preview", "true");
  ExpectNear(matte, gizmo.Run(PlateAt, 1).Get("rgba.red", plate.format()));
}

TEST(GizmoTest, AMatteOfAPlateAloneHasItsLayer) {
  const std::string name = NukeTestModels("NukeMask").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor image = ToSRGB(PlateAt(1).Image(Rgb(), format));
  for (const int64_t side : {64, 96}) {
    gizmo.Set("side", absl::StrCat(side));
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), result, {});
    ExpectNear(GetNukeModel(name).Run(image, {{"side", side}})[0][0], result.Get("matte.alpha", format));
  }
  gizmo.Set("replace_rgba", "true");
  const Plate replaced = gizmo.Run(PlateAt, 1);
  EXPECT_TRUE(at::equal(replaced.channels.at("rgba.alpha"), replaced.channels.at("matte.alpha")));
}

TEST(GizmoTest, PointsAndABoxReachTheModel) {
  const std::string name = NukeTestModels("NukePrompt").front();
  Gizmo gizmo = GizmoOf(name);
  std::map<std::string, c10::IValue> knobs = {{"side", int64_t{128}}, {"point_1_x", 0.25}, {"point_1_y", 0.8}};
  // The matte of the whole plate or of its box.
  const auto expect_matte_of_the_model = [&](const std::map<std::string, c10::IValue>& changed, const Area& seen) {
    for (const auto& [knob, value] : changed) knobs[knob] = value;
    const at::Tensor matte = GetNukeModel(name).Run(ToSRGB(PlateAt(1).Image(Rgb(), seen)), knobs)[0][0];
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), result, {});
    ExpectNear(matte, result.Get("matte.alpha", seen));
    return matte;
  };
  // The plate has 40 x 30 pixels, and 54 x 36 with its overscan, which begins at -6, -3.
  const Area format = PlateAt(1).format();
  gizmo.Set("side", "128");
  gizmo.Set("point_1", "10 24");
  const at::Tensor first = expect_matte_of_the_model({}, format);
  gizmo.Set("point_10", "35 3");
  gizmo.Set("point_10_is", "not in it");
  const at::Tensor second =
      expect_matte_of_the_model({{"point_10_is", int64_t{1}}, {"point_10_x", 0.875}, {"point_10_y", 0.1}}, format);
  gizmo.Set("box", "true");
  gizmo.Set("box_area", "5 6 20 24");
  const at::Tensor boxed = expect_matte_of_the_model(
      {{"box", int64_t{1}}, {"box_left", 0.125}, {"box_bottom", 0.2}, {"box_right", 0.5}, {"box_top", 0.8}}, format);
  EXPECT_FALSE(at::equal(first, second));
  EXPECT_FALSE(at::equal(second, boxed));
  gizmo.Set("overscan", "true");
  expect_matte_of_the_model({{"point_1_x", 16.0 / 54},
                             {"point_1_y", 27.0 / 36},
                             {"point_10_x", 41.0 / 54},
                             {"point_10_y", 6.0 / 36},
                             {"box_left", 11.0 / 54},
                             {"box_bottom", 9.0 / 36},
                             {"box_right", 26.0 / 54},
                             {"box_top", 27.0 / 36}},
                            PlateAt(1).box);
}

TEST(GizmoTest, TheCoarseDepthOfAPlateBecomesTheModels) {
  const std::string name = NukeTestModels("NukePromptedDepth").front();
  Gizmo gizmo = GizmoOf(name);
  const auto plate_at = [](double frame) {
    Plate plate = PlateAt(frame);
    plate.channels["depth.Z"] = plate.channels.at("mask.a").mul(3).add(2);
    return plate;
  };
  const Plate plate = plate_at(1);
  const at::Tensor image =
      at::cat({ToSRGB(plate.Image(Rgb(), plate.format())), plate.Image({"depth.Z"}, plate.format())}, 1);
  const Plate result = gizmo.Run(plate_at, 1);
  ExpectPasses(plate, result, {"depth.Z"});
  ExpectNear(GetNukeModel(name).Run(image)[0][0], result.Get("depth.Z", plate.format()));
}

// A second input that is connected gives what the model takes beside colours; where it has no pixels, black.
TEST(GizmoTest, AnotherImageMayGiveTheCoarseDepthOrTheTrimap) {
  const auto aside_at = [](double frame) {
    Plate plate = PlateAt(frame + 3);
    plate.box = {-2, 1, 39, 30};
    for (auto& [channel, pixels] : plate.channels) pixels = PlateAt(frame + 3).Get(channel, plate.box);
    plate.channels["depth.Z"] = plate.channels.at("mask.a").mul(3).add(2);
    return plate;
  };
  for (const auto& [wrapper, input, channel, output] :
       {std::tuple("NukePromptedDepth", "depth", "depth.Z", "depth.Z"),
        std::tuple("NukeMatte", "alpha", "rgba.alpha", "matte.alpha")}) {
    const std::string name = NukeTestModels(wrapper).front();
    Gizmo gizmo = GizmoOf(name);
    gizmo.Connect(input, aside_at);
    for (const char* const overscan : {"false", "true"}) {
      gizmo.Set("overscan", overscan);
      const Area seen = absl::string_view(overscan) == "true" ? PlateAt(1).box : PlateAt(1).format();
      const at::Tensor image = at::cat({ToSRGB(PlateAt(1).Image(Rgb(), seen)), aside_at(1).Image({channel}, seen)}, 1);
      const Plate result = gizmo.Run(PlateAt, 1);
      ExpectPasses(PlateAt(1), result, {});
      ExpectNear(GetNukeModel(name).Run(image)[0][0], result.Get(output, seen));
    }
  }
}

// A garbage matte of 0 and 1, which leaves nothing unknown by itself.
TEST(GizmoTest, EdgesMakeATrimapOfAMatteOfTheSecondInput) {
  const auto aside_at = [](double frame) {
    Plate plate = PlateAt(frame);
    at::Tensor& alpha = plate.channels.at("rgba.alpha");
    alpha = at::zeros_like(alpha);
    alpha.slice(0, 8, 20).slice(1, 12, 28).fill_(1);
    return plate;
  };
  const std::string name = NukeTestModels("NukeMatte").front();
  const Area format = PlateAt(1).format();
  const at::Tensor image =
      at::cat({ToSRGB(PlateAt(1).Image(Rgb(), format)), aside_at(1).Image({"rgba.alpha"}, format)}, 1);
  Gizmo gizmo = GizmoOf(name);
  gizmo.Connect("alpha", aside_at);
  gizmo.Set("edge_inside", "2");
  gizmo.Set("edge_outside", "3");
  for (const bool shows_trimap : {false, true}) {
    gizmo.Set("show_trimap", shows_trimap ? "true" : "false");
    const at::Tensor wanted = GetNukeModel(name).Run(
        image,
        {{"edge_inside", int64_t{2}}, {"edge_outside", int64_t{3}}, {"show_trimap", int64_t{shows_trimap}}})[0][0];
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectNear(wanted, result.Get("matte.alpha", format));
    if (!shows_trimap) continue;
    // A frame of unknown pixels around the square: 3 outside and 2 inside of its edges.
    EXPECT_EQ(wanted.eq(0.5).sum().item<int64_t>(), 18 * 22 - 8 * 12);
    for (const std::string& colour : Rgb()) ExpectNear(wanted, result.Get(colour, format));
    gizmo.Set("premultiply", "true");
    ExpectNear(wanted, gizmo.Run(PlateAt, 1).Get("rgba.red", format));
  }
}

TEST(GizmoTest, NormalsHaveALayerAndAPreview) {
  const std::string name = NukeTestModels("NukeNormals").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor normals = GetNukeModel(name).Run(ToSRGB(PlateAt(1).Image(Rgb(), format)))[0];
  gizmo.Set("preview", "true");
  const Plate result = gizmo.Run(PlateAt, 1);
  ExpectNear(normals[1], result.Get("normals.green", format));
  ExpectNear(normals[1] / 2 + 0.5, result.Get("rgba.green", format));
}

TEST(GizmoTest, ALargerImageIsTheNewFormat) {
  const std::string name = NukeTestModels("NukeUpscale").front();
  NukeModel model = GetNukeModel(name);
  const int64_t scale = model.nuke.attr("scale").toInt();
  const auto larger = [&](const Area& area) { return ToLinear(model.Run(ToSRGB(PlateAt(1).Image(Rgb(), area))))[0]; };
  Gizmo gizmo = GizmoOf(name);
  const Plate result = gizmo.Run(PlateAt, 1);
  EXPECT_EQ(result.width, 40 * scale);
  EXPECT_EQ(result.height, 30 * scale);
  ExpectNear(larger({0, 0, 40, 30})[2], result.Get("rgba.blue", result.format()));
  EXPECT_EQ(result.channels.at("mask.a").size(1), 54 * scale);
  gizmo.Set("overscan", "true");
  const Area box = {-6 * scale, -3 * scale, 48 * scale, 33 * scale};
  ExpectNear(larger(PlateAt(1).box)[2], gizmo.Run(PlateAt, 1).Get("rgba.blue", box));
}

TEST(GizmoTest, ASlowerPlateHasFramesBetween) {
  const std::string name = NukeTestModels("NukeBetween").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  // At half speed frame 3 of the output is the plate's frame 2, and frame 4 lies behind it.
  ExpectPasses(PlateAt(2), gizmo.Run(PlateAt, 3), {});
  const Plate between = gizmo.Run(PlateAt, 4);
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(2).Image(Rgb(), format)), ToSRGB(PlateAt(3).Image(Rgb(), format))}, 1);
  ExpectNear(ToLinear(GetNukeModel(name).Run(pair, {{"timestep", 0.5}}))[0][0], between.Get("rgba.red", format));
  EXPECT_TRUE(at::equal(between.channels.at("mask.a"), PlateAt(2).channels.at("mask.a")));
  // On demand the plate's own frames are made by the model, too.
  gizmo.Set("keep_frames", "false");
  ExpectNear(ToLinear(GetNukeModel(name).Run(pair, {{"timestep", 0.0}}))[0][0],
             gizmo.Run(PlateAt, 3).Get("rgba.red", format));
}

// Beyond the input range its first and last frames stay.
TEST(GizmoTest, FramesAreWithinTheInputRange) {
  const std::string name = NukeTestModels("NukeBetween").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  gizmo.Set("input_first", "11");
  gizmo.Set("input_last", "13");
  ExpectPasses(PlateAt(11), gizmo.Run(PlateAt, 4), {});
  ExpectPasses(PlateAt(11), gizmo.Run(PlateAt, 11), {});
  ExpectPasses(PlateAt(12), gizmo.Run(PlateAt, 13), {});
  ExpectPasses(PlateAt(13), gizmo.Run(PlateAt, 15), {});
  ExpectPasses(PlateAt(13), gizmo.Run(PlateAt, 40), {});
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(12).Image(Rgb(), format)), ToSRGB(PlateAt(13).Image(Rgb(), format))}, 1);
  ExpectNear(ToLinear(GetNukeModel(name).Run(pair, {{"timestep", 0.5}}))[0][0],
             gizmo.Run(PlateAt, 14).Get("rgba.red", format));
  // 11 + 0.7 * 20 is a whole number but for rounding.
  gizmo.Set("input_last", "100");
  gizmo.Set("speed", "0.7");
  ExpectPasses(PlateAt(25), gizmo.Run(PlateAt, 31), {});
}

// The channels that the model does not know move as its colours do: a plate whose layer holds its red, too, keeps that
// equal to the red that the model gives.
TEST(GizmoTest, ARetimeMovesEveryChannelAsItsColours) {
  const std::string name = NukeTestModels("NukeRetime").front();
  Gizmo gizmo = GizmoOf(name);
  gizmo.Set("input_is_srgb", "true");
  const auto plate_at = [](double frame) {
    Plate plate = PlateAt(frame);
    plate.box = plate.format();
    for (auto& [channel, pixels] : plate.channels) pixels = PlateAt(frame).Get(channel, plate.box);
    plate.channels["depth.Z"] = plate.channels.at("rgba.red").mul(50);
    return plate;
  };
  const Area format = plate_at(1).format();
  const at::Tensor pair = at::cat({plate_at(2).Image(Rgb(), format), plate_at(3).Image(Rgb(), format)}, 1);
  for (const int64_t shrink : {1, 2}) {
    gizmo.Set("shrink", absl::StrCat(shrink));
    const at::Tensor output = GetNukeModel(name).Run(pair, {{"timestep", 0.5}, {"shrink", shrink}})[0];
    const Plate between = gizmo.Run(plate_at, 4);
    ExpectNear(output[1], between.Get("rgba.green", format));
    ExpectNear(output[4], between.Get("forward.v", format));
    ExpectNear(output[5], between.Get("backward.u", format));
    EXPECT_GT(output.slice(0, 3, 7).abs().max().item<double>(), 1);
    // The model pads its images with black; a pixel that comes from there has another nearest pixel in the plate.
    const at::Tensor x = at::arange(format.r, at::kFloat), y = at::arange(format.t, at::kFloat).unsqueeze(1);
    at::Tensor inside = at::ones_like(output[0]);
    for (const int64_t motion : {3, 5}) {
      const at::Tensor column = output[motion].add(x), row = output[motion + 1].neg().add(y);
      inside = inside.mul(column.ge(0)).mul(column.le(format.r - 1)).mul(row.ge(0)).mul(row.le(format.t - 1));
    }
    EXPECT_GT(inside.mean().item<double>(), 0.5);
    ExpectNear(output[0].mul(inside), between.Get("depth.Z", format).div(50).mul(inside));
    EXPECT_FALSE(at::equal(between.channels.at("depth.Z"), plate_at(2).channels.at("depth.Z")));
  }
  // Fewer channels move on demand; the others are those of the frame before.
  const Plate moved = gizmo.Run(plate_at, 4);
  for (const auto& [choice, moves_alpha] : {std::pair("rgb", false), std::pair("rgba", true)}) {
    gizmo.Set("retimed_channels", choice);
    const Plate between = gizmo.Run(plate_at, 4);
    ExpectNear(moved.Get("rgba.green", format), between.Get("rgba.green", format));
    ExpectNear(plate_at(2).Get("depth.Z", format), between.Get("depth.Z", format));
    ExpectNear((moves_alpha ? moved : plate_at(2)).Get("rgba.alpha", format), between.Get("rgba.alpha", format));
  }
  gizmo.Set("retimed_channels", "all");
  // What the model sees are both frames as a display shows them, and with overscan all of their pixels.
  Gizmo linear = GizmoOf(name);
  for (const Area& seen : {format, PlateAt(2).box}) {
    const at::Tensor shown = at::cat({ToSRGB(PlateAt(2).Image(Rgb(), seen)), ToSRGB(PlateAt(3).Image(Rgb(), seen))}, 1);
    const at::Tensor output = GetNukeModel(name).Run(shown, {{"timestep", 0.5}})[0];
    const Plate between = linear.Run(PlateAt, 4);
    ExpectNear(ToLinear(output[1]), between.Get("rgba.green", seen));
    ExpectNear(output[3], between.Get("forward.u", seen));
    linear.Set("overscan", "true");
  }
  // At half speed frame 3 of the output is the plate's frame 2, which passes as it is, with its motion.
  const Plate whole = gizmo.Run(plate_at, 3);
  ExpectPasses(plate_at(2), whole, {});
  const at::Tensor first = GetNukeModel(name).Run(pair, {{"timestep", 0.0}, {"shrink", 2}})[0];
  ExpectNear(first[3], whole.Get("forward.u", format));
  gizmo.Set("keep_frames", "false");
  gizmo.Set("keep_highlights", "false");
  ExpectNear(first[0], gizmo.Run(plate_at, 3).Get("rgba.red", format));
  // The motion that is shown.
  for (const auto& [choice, part] : {std::pair("forward", 3), std::pair("backward", 5)}) {
    gizmo.Set("preview_motion", choice);
    ExpectNear(at::clamp(first[part] / 40 + 0.5, 0, 1), gizmo.Run(plate_at, 3).Get("rgba.red", format));
  }
}

// What a display cannot show comes from the plate, as does what lies outside of the format.
TEST(GizmoTest, ARetimeKeepsHighlightsAndOverscan) {
  const std::string name = NukeTestModels("NukeRetime").front();
  Gizmo gizmo = GizmoOf(name);
  gizmo.Set("input_is_srgb", "true");
  const auto plate_at = [](double frame) {
    Plate plate = PlateAt(frame);
    for (const std::string& colour : Rgb()) plate.channels[colour] = plate.channels.at(colour).mul(8).sub(2);
    plate.channels["depth.Z"] = plate.channels.at("rgba.red");
    return plate;
  };
  const Area format = plate_at(1).format();
  const at::Tensor pair = at::cat({plate_at(2).Image(Rgb(), format), plate_at(3).Image(Rgb(), format)}, 1);
  const at::Tensor red = GetNukeModel(name).Run(pair, {{"timestep", 0.5}})[0][0];
  Plate between = gizmo.Run(plate_at, 4);
  const at::Tensor moved = between.Get("depth.Z", format);
  const at::Tensor lost = at::clamp(moved.sub(1), 0).add(at::clamp(moved, -100, 0));
  EXPECT_GT(lost.max().item<double>(), 1);
  EXPECT_LT(lost.min().item<double>(), -1);
  ExpectNear(red.add(lost), between.Get("rgba.red", format));
  const Area left = {plate_at(2).box.x, 0, 0, format.t};
  ExpectNear(between.Get("depth.Z", left), between.Get("rgba.red", left));
  // The model's image of a whole frame gets them as well.
  gizmo.Set("keep_frames", "false");
  const Plate whole = gizmo.Run(plate_at, 3);
  const at::Tensor there = whole.Get("depth.Z", format);
  ExpectNear(GetNukeModel(name).Run(pair, {{"timestep", 0.0}})[0][0].add(
                 at::clamp(there.sub(1), 0).add(at::clamp(there, -100, 0))),
             whole.Get("rgba.red", format));
  gizmo.Set("keep_highlights", "false");
  between = gizmo.Run(plate_at, 4);
  ExpectNear(red, between.Get("rgba.red", format));
  ExpectNear(between.Get("depth.Z", left), between.Get("rgba.red", left));
}

TEST(GizmoTest, DepthIsOfTheMiddleOfFiveFrames) {
  const std::string name = NukeTestModels("NukeShot").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  std::vector<at::Tensor> frames;
  for (const double frame : {3, 1, 2, 4, 5}) frames.push_back(ToSRGB(PlateAt(frame).Image(Rgb(), format)));
  const at::Tensor depth = GetNukeModel(name).Run(at::cat(frames, 1))[0][0];
  const Plate result = gizmo.Run(PlateAt, 3);
  ExpectPasses(PlateAt(3), result, {});
  ExpectNear(depth, result.Get("depth.Z", format));
  EXPECT_EQ(result.channels.size(), PlateAt(3).channels.size() + 1);
}

TEST(GizmoTest, FeaturesAndClassesHaveTheirLayer) {
  for (const auto& [wrapper, layer, knob, value] : {std::tuple("NukeFeatures", "features.green", "first_channel", 2),
                                                    std::tuple("NukeClassMap", "scores.alpha", "class_index", 3)}) {
    const std::string name = NukeTestModels(wrapper).front();
    Gizmo gizmo = GizmoOf(name);
    const Area format = PlateAt(1).format();
    gizmo.Set(knob, absl::StrCat(value));
    const at::Tensor map = GetNukeModel(name).Run(ToSRGB(PlateAt(1).Image(Rgb(), format)), {{knob, int64_t{value}}})[0];
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), result, {});
    ExpectNear(map[map.size(0) == 1 ? 0 : 1], result.Get(layer, format));
    gizmo.Set("replace_rgba", "true");
    ExpectNear(map[map.size(0) - 1], gizmo.Run(PlateAt, 1).Get("rgba.alpha", format));
  }
}

// Nuke finds an attribute of the model by the name of a knob of the CatFileCreator node, and gives it the knob's value.
TEST(GizmoTest, TheNodeThatConvertsHasTheModelsChannelsAndAttributes) {
  for (const char* const wrapper :
       {"NukeDepth", "NukeShot", "NukePromptedDepth", "NukeNormals", "NukeFeatures", "NukeClassMap", "NukeMatte",
        "NukeMask", "NukePrompt", "NukeBetween", "NukeFlow", "NukeRetime", "NukeMotion", "NukeUpscale"}) {
    const std::string name = NukeTestModels(wrapper).front();
    const Manifest manifest = ManifestOf(name);
    const NukeScript script = ReadNukeScript(ScriptIn((*FindTarget("nuke"))->package(manifest, ""), ".nk"));
    EXPECT_TRUE(script.faults.empty()) << script.faults.front();
    const NukeNode& node = script.nodes.at("CatFileCreator1");
    EXPECT_EQ(node.values.at("channelsIn").text, absl::StrJoin(manifest.interface().channels_in(), ","));
    EXPECT_EQ(node.values.at("channelsOut").text, absl::StrJoin(manifest.interface().channels_out(), ","));
    EXPECT_EQ(node.values.at("torchScriptFile").text,
              absl::StrCat("[python {nuke.script_directory()}]/", ArtifactName(manifest), ".pt"));
    const torch::jit::Module module = GetNukeModel(name).nuke;
    int knobs = 0;
    for (const auto& [knob, added] : node.user_knobs) {
      if (added.type == 20) continue;
      ASSERT_TRUE(module.hasattr(knob)) << name << " " << knob;
      const c10::IValue attribute = module.attr(knob);
      EXPECT_EQ(added.type, attribute.isInt() ? 3 : 7) << name << " " << knob;
      double value = 0;
      EXPECT_TRUE(absl::SimpleAtod(node.values.at(knob).text, &value));
      EXPECT_EQ(value, attribute.toScalar().toDouble()) << name << " " << knob;
      ++knobs;
    }
    EXPECT_EQ(knobs, manifest.knobs_size()) << name;
  }
}

TEST(GizmoTest, MotionIntoTheNextFrameLeavesTheOtherChannels) {
  const std::string name = NukeTestModels("NukeMotion").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(3).Image(Rgb(), format)), ToSRGB(PlateAt(4).Image(Rgb(), format))}, 1);
  for (const int64_t shrink : {2, 1}) {
    gizmo.Set("shrink", absl::StrCat(shrink));
    const at::Tensor motion = GetNukeModel(name).Run(pair, {{"shrink", shrink}})[0];
    const Plate result = gizmo.Run(PlateAt, 3);
    ExpectPasses(PlateAt(3), result, {});
    ExpectNear(motion[0], result.Get("forward.u", format));
    ExpectNear(motion[1], result.Get("forward.v", format));
    EXPECT_EQ(result.channels.count("backward.u"), PlateAt(3).channels.count("backward.u"));
    gizmo.Set("preview_motion", "forward");
    ExpectNear(at::clamp(motion[0] / 40 + 0.5, 0, 1), gizmo.Run(PlateAt, 3).Get("rgba.red", format));
    gizmo.Set("preview_motion", "off");
  }
}

TEST(GizmoTest, MotionIsThatOfThePlatesOwnFrames) {
  const std::string name = NukeTestModels("NukeFlow").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(3).Image(Rgb(), format)), ToSRGB(PlateAt(4).Image(Rgb(), format))}, 1);
  const at::Tensor motion = GetNukeModel(name).Run(pair, {{"timestep", 0.0}})[0];
  const Plate result = gizmo.Run(PlateAt, 3);
  ExpectPasses(PlateAt(3), result, {});
  ExpectNear(motion[0], result.Get("forward.u", format));
  ExpectNear(motion[1], result.Get("forward.v", format));
  ExpectNear(motion[3], result.Get("backward.v", format));
  for (const auto& [choice, right] : {std::pair("forward", 0), std::pair("backward", 2)}) {
    gizmo.Set("preview_motion", choice);
    const Plate preview = gizmo.Run(PlateAt, 3);
    ExpectPasses(PlateAt(3), preview, Rgb());
    ExpectNear(at::clamp(motion[right] / 40 + 0.5, 0, 1), preview.Get("rgba.red", format));
    ExpectNear(at::clamp((motion[right + 1] * 0.866 - motion[right] * 0.5) / 40 + 0.5, 0, 1),
               preview.Get("rgba.green", format));
  }
}

// The box of the plate reaches beyond its format.
TEST(GizmoTest, WithOverscanEachNodeSeesTheWholeBox) {
  struct Case {
    const char* wrapper;
    const char* channel;  // That the node makes.
    int64_t index;        // Of that channel in what the model gives.
    std::vector<double> frames = {1};
    double at = 1;
    std::map<std::string, c10::IValue> knobs = {};
  };
  const Area box = PlateAt(1).box;
  for (const Case& node : {Case{"NukeNormals", "normals.green", 1}, Case{"NukeFeatures", "features.green", 1},
                           Case{"NukeClassMap", "scores.alpha", 0}, Case{"NukeMask", "matte.alpha", 0},
                           Case{"NukeMatte", "matte.alpha", 0}, Case{"NukeShot", "depth.Z", 0, {3, 1, 2, 4, 5}, 3},
                           Case{"NukeBetween", "rgba.green", 1, {2, 3}, 4, {{"timestep", 0.5}}},
                           Case{"NukeFlow", "backward.v", 3, {3, 4}, 3, {{"timestep", 0.0}}},
                           Case{"NukeMotion", "forward.v", 1, {3, 4}, 3}}) {
    const std::string name = NukeTestModels(node.wrapper).front();
    std::vector<at::Tensor> seen;
    for (const double frame : node.frames) seen.push_back(ToSRGB(PlateAt(frame).Image(Rgb(), box)));
    if (absl::string_view(node.wrapper) == "NukeMatte") seen.push_back(PlateAt(1).Image({"rgba.alpha"}, box));
    const at::Tensor made = GetNukeModel(name).Run(at::cat(seen, 1), node.knobs)[0][node.index];
    Gizmo gizmo = GizmoOf(name);
    gizmo.Set("overscan", "true");
    SCOPED_TRACE(node.wrapper);
    ExpectNear(absl::StartsWith(node.channel, "rgba") ? ToLinear(made) : made,
               gizmo.Run(PlateAt, node.at).Get(node.channel, box));
  }
}

}  // namespace
}  // namespace modelport
