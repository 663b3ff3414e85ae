// Each function and module of Depth Anything 3, called alone, gives upstream's output.
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"

namespace modelport {
namespace {

using Tensors = std::map<std::string, at::Tensor>;
using Values = std::vector<c10::IValue>;

constexpr char kGoldens[] = "models/depth_anything_3/testdata/references/functions/";

class Da3FunctionsTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {"models"});
    ASSERT_OK(registry);
    registry_ = std::make_unique<Registry>(*std::move(registry));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry_->Find("tiny_any"));
    library_ = entry.plugin->library;
    ASSERT_OK(compiler_.AddFunctions(library_->functions()));
  }

  // What a free function of the plugin returns.
  c10::IValue Run(const std::string& function, Values arguments) {
    return (*compiler_.unit()->find_function(absl::StrCat("__torch__.modelport.", function)))(std::move(arguments));
  }

  // A module without weights.
  torch::jit::Module Module(const Call& call) {
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(library_, call);
    EXPECT_THAT(tree, IsOk());
    auto module = BuildModule(*tree, std::vector<at::Tensor>(tree->slots.size(), at::zeros({0})));
    EXPECT_THAT(module, IsOk());
    return *std::move(module);
  }

  torch::jit::Module Variant(const std::string& name) { return Module(registry_->Find(name)->variant->module); }

  static Tensors Read(const std::string& name) {
    absl::StatusOr<Tensors> tensors = ReadTensors(absl::StrCat(kGoldens, name, ".safetensors"));
    EXPECT_THAT(tensors, IsOk());
    return std::move(tensors).value_or(Tensors());
  }

  const c10::InferenceMode inference_;
  std::unique_ptr<Registry> registry_;
  std::shared_ptr<const ModuleLibrary> library_;
  Compiler compiler_;
};

double Distance(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// Within 1e-5 of the largest element.
void ExpectNear(const c10::IValue& actual, const at::Tensor& expected, const std::string& what) {
  ASSERT_EQ(actual.toTensor().sizes(), expected.sizes()) << what;
  EXPECT_LE(Distance(actual.toTensor(), expected), 1e-5 * expected.to(at::kDouble).abs().max().item<double>()) << what;
}

at::Tensor Seeded(const std::string& key, const std::vector<int64_t>& shape, double center, double spread) {
  at::Tensor tensor = at::empty(shape);
  SeededFill(key, 0, center, spread, absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  return tensor;
}

c10::IValue Element(const c10::IValue& tuple, size_t i) { return tuple.toTupleRef().elements()[i]; }

TEST_F(Da3FunctionsTest, RotaryPositionEmbedding) {
  Tensors rope = Read("rope");
  const torch::jit::Module module = Module(*ParseCall("RotaryPositionEmbedding2D(100)"));
  for (int64_t i = 0; i < 2; ++i) {
    const c10::IValue rotation = module.get_method("rotation")({rope["in.positions"][i], int64_t{64}});
    const at::Tensor tokens = rope["in.tokens"].slice(0, i, i + 1);
    ExpectNear(module.get_method("forward")({tokens, rotation}), rope["out"].slice(0, i, i + 1), "rope");
  }
}

TEST_F(Da3FunctionsTest, PositionEmbeddingOfOtherSizes) {
  const at::Tensor stored = Seeded("fn:pos_embed", {1, 1 + 37 * 37, 8}, 0, 1);
  for (const auto& [name, expected] : Read("pos_embed")) {
    int64_t height = 0, width = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "out.H%ld_W%ld", &height, &width), 2) << name;
    const at::Tensor actual =
        Run("interpolate_pos_encoding", {stored, int64_t{37}, height / 14, width / 14, 0.1, false}).toTensor();
    ASSERT_EQ(actual.size(1), 1 + height / 14 * (width / 14));
    // Of large tables each so manieth position, which are of all rows and columns.
    const bool is_part = actual.size(1) != expected.size(1);
    ExpectNear(is_part ? actual.slice(1, 0, actual.size(1), 14) : actual, expected, name);
  }
}

TEST_F(Da3FunctionsTest, PositionEmbeddingOfMaps) {
  for (const auto& [name, expected] : Read("uv_pos_embed")) {
    int64_t columns = 0, rows = 0, width = 0, height = 0, channels = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "out.pw%ld_ph%ld_W%ld_H%ld_C%ld", &columns, &rows, &width, &height, &channels),
              5);
    const double aspect = static_cast<double>(width) / static_cast<double>(height);
    const c10::IValue map = Run("add_uv_pos_embed", {at::zeros({1, channels, rows, columns}), aspect, 100.0, 0.1});
    const at::Tensor whole = map.toTensor()[0];
    const bool is_part = whole.size(1) != expected.size(1);
    ExpectNear(is_part ? whole.slice(1, 0, rows, 5).slice(2, 0, columns, 3) : whole, expected, name);
  }
}

TEST_F(Da3FunctionsTest, Cameras) {
  Tensors camera = Read("camera");
  const c10::IValue inverse = Run("affine_inverse", {camera["in.extrinsics"]});
  ExpectNear(inverse, camera["out.affine_inverse"], "affine_inverse");
  const at::Tensor rotation = inverse.toTensor().slice(-2, 0, 3).slice(-1, 0, 3);
  ExpectNear(Run("mat_to_quat", {rotation}), camera["out.quat_xyzw"], "mat_to_quat");
  ExpectNear(Run("extri_intri_to_pose_encoding", {inverse, camera["in.intrinsics"], int64_t{56}, int64_t{84}}),
             camera["out.pose_encoding"], "pose encoding");
  ExpectNear(Run("quat_to_mat", {camera["in.pose_encoding"].slice(-1, 3, 7)}), camera["out.quat_to_mat"],
             "quat_to_mat");
  const c10::IValue cameras =
      Run("pose_encoding_to_extri_intri", {camera["in.pose_encoding"], int64_t{56}, int64_t{84}});
  ExpectNear(Element(cameras, 0), camera["out.c2w_3x4"], "camera to world");
  ExpectNear(Element(cameras, 1), camera["out.intrinsics"], "intrinsics");
  ExpectNear(Run("affine_inverse", {Element(cameras, 0)}), camera["out.w2c_3x4"], "world to camera");
}

TEST_F(Da3FunctionsTest, GivenCameras) {
  Tensors poses = Read("api_poses");
  ExpectNear(Variant("tiny_any").get_method("normalize_extrinsics")({poses["in.extrinsics"]}), poses["out.normalized"],
             "normalised");
  ExpectNear(Run("pose_scales", {poses["in.predicted"], poses["in.extrinsics"]}).toTensor()[0],
             poses["out.umeyama.scale"], "scale");
}

TEST_F(Da3FunctionsTest, ReferenceViews) {
  Tensors views = Read("reference_view");
  const at::Tensor& tokens = views["in.tokens"];
  for (const std::string strategy : {"first", "middle", "saddle_balanced", "saddle_sim_range"}) {
    const c10::IValue index = Run("select_reference_view", {tokens, strategy});
    EXPECT_TRUE(at::equal(index.toTensor(), views[absl::StrCat("out.", strategy, ".index")])) << strategy;
    const c10::IValue reordered = Run("reorder_by_reference", {tokens, index});
    EXPECT_TRUE(at::equal(reordered.toTensor(), views[absl::StrCat("out.", strategy, ".reordered")])) << strategy;
    EXPECT_TRUE(at::equal(Run("restore_original_order", {reordered, index}).toTensor(), tokens)) << strategy;
  }
}

TEST_F(Da3FunctionsTest, SkyOfABatchSharesOneQuantile) {
  Tensors sky = Read("mono_sky");
  ExpectNear(Run("fill_sky", {sky["in.depth"], sky["in.sky"], 0.3, 0.99, int64_t{10}}), sky["out.depth"], "sky");
}

TEST_F(Da3FunctionsTest, TenPixelsAreTooFewForASky) {
  const at::Tensor depth = at::arange(1, 101, at::kFloat).reshape({1, 1, 10, 10});
  for (const auto& [sky_pixels, is_filled] :
       {std::pair(10, false), std::pair(11, true), std::pair(89, true), std::pair(90, false), std::pair(100, false)}) {
    at::Tensor sky = at::zeros_like(depth);
    sky.view({100}).slice(0, 0, sky_pixels).fill_(1);
    const at::Tensor filled = Run("fill_sky", {depth, sky, 0.3, 0.99, int64_t{10}}).toTensor();
    EXPECT_EQ(!at::equal(filled, depth), is_filled) << sky_pixels;
  }
}

TEST_F(Da3FunctionsTest, NestedAlignment) {
  Tensors align = Read("nested_align");
  const torch::jit::Module nested = Variant("tiny_nested");
  ExpectNear(nested.get_method("apply_metric_scaling")({align["in.metric_depth"], align["in.intrinsics"]}),
             align["stage.metric_depth_scaled"], "metric depth");
  c10::Dict<std::string, at::Tensor> output;
  for (const char* name : {"depth", "depth_conf", "extrinsics", "intrinsics"}) {
    output.insert(name, align[absl::StrCat("in.", name)]);
  }
  const auto aligned = c10::impl::toTypedDict<std::string, at::Tensor>(
      nested.get_method("align")({output, align["in.metric_depth"], align["in.sky"]}).toGenericDict());
  for (const char* name : {"depth", "depth_conf", "extrinsics", "scale_factor"}) {
    ExpectNear(aligned.at(name), align[absl::StrCat("out.", name)], name);
  }
  EXPECT_EQ(aligned.at("is_metric").item<double>(), 1);
  ExpectNear(at::mul(align["in.depth"], aligned.at("scale_factor")), align["stage.depth_aligned"], "aligned");
  EXPECT_TRUE(at::equal(output.at("depth"), align["in.depth"])) << "align changed its input";
}

TEST_F(Da3FunctionsTest, AnImageOfSkyHasNoScale) {
  Tensors align = Read("nested_align");
  c10::Dict<std::string, at::Tensor> output;
  for (const char* name : {"depth", "depth_conf", "extrinsics", "intrinsics"}) {
    output.insert(name, align[absl::StrCat("in.", name)]);
  }
  const at::Tensor sky = at::ones_like(align["in.sky"]);
  const auto aligned = c10::impl::toTypedDict<std::string, at::Tensor>(
      Variant("tiny_nested").get_method("align")({output, align["in.metric_depth"], sky}).toGenericDict());
  EXPECT_EQ(aligned.at("is_metric").item<double>(), 0);
  EXPECT_EQ(aligned.at("scale_factor").item<double>(), 1);
  EXPECT_TRUE(at::equal(aligned.at("depth"), at::full_like(sky, 200)));
  EXPECT_TRUE(at::equal(aligned.at("extrinsics"), align["in.extrinsics"]));
}

// The quantiles of 20 runs of upstream, which samples at random.
struct SampledQuantile {
  std::string value;
  std::vector<int64_t> shape;
  std::vector<double> runs;
};

std::vector<SampledQuantile> ReadSampledQuantiles() {
  std::ifstream stream("models/depth_anything_3/tests/sampled_quantiles.txt");
  std::vector<SampledQuantile> quantiles;
  for (std::string line; std::getline(stream, line);) {
    if (line[0] == '#') continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    SampledQuantile& quantile = quantiles.emplace_back();
    quantile.value = cells[0];
    for (absl::string_view side : absl::StrSplit(cells[1], " x "))
      quantile.shape.push_back(std::stoi(std::string(side)));
    for (absl::string_view run : absl::StrSplit(cells[2], ' ')) quantile.runs.push_back(std::stod(std::string(run)));
  }
  return quantiles;
}

TEST_F(Da3FunctionsTest, ExactQuantilesLieWithinTheSpreadOfSampledOnes) {
  const torch::jit::Module nested = Variant("tiny_nested");
  const std::vector<SampledQuantile> quantiles = ReadSampledQuantiles();
  ASSERT_EQ(quantiles.size(), 6u);
  for (const auto& [value, shape, runs] : quantiles) {
    const at::Tensor metric = Seeded("quantile:metric", shape, 0, 2).exp(),
                     sky = Seeded("quantile:sky", shape, 0.25, 0.25);
    const at::Tensor is_sky = sky.ge(0.3);
    c10::Dict<std::string, at::Tensor> output;
    output.insert("depth", Seeded("quantile:depth", shape, 0, 2).exp());
    output.insert("depth_conf", at::add(Seeded("quantile:conf", shape, 0, 1).exp(), 1));
    output.insert("extrinsics", at::eye(4).slice(0, 0, 3).expand({shape[0], shape[1], 3, 4}));
    output.insert("intrinsics", at::diag(at::tensor({300.0f, 300.0f, 1.0f})).expand({shape[0], shape[1], 3, 3}));
    const c10::impl::GenericDict aligned = nested.get_method("align")({output, metric, sky}).toGenericDict();
    const at::Tensor filled = Run("fill_sky", {metric, sky, 0.3, 0.99, int64_t{10}}).toTensor();
    const std::map<std::string, at::Tensor> exact = {
        {"mono sky depth", filled.masked_select(is_sky)[0]},
        {"nested scale_factor", aligned.at("scale_factor").toTensor()},
        {"nested sky depth", aligned.at("depth").toTensor().masked_select(is_sky)[0]}};
    const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
    std::printf("%s: exact %.6g, sampled %.6g to %.6g\n", value.c_str(), exact.at(value).item<double>(), *least, *most);
    EXPECT_GE(exact.at(value).item<double>(), *least) << value;
    EXPECT_LE(exact.at(value).item<double>(), *most) << value;
  }
}

TEST_F(Da3FunctionsTest, SphericalHarmonicsAndQuaternions) {
  Tensors gaussians = Read("gaussians");
  const at::Tensor& angles = gaussians["in.angles"];
  for (const int64_t degree : {1, 2}) {
    ExpectNear(Run("wigner_D", {degree, angles.select(1, 0), angles.select(1, 1), angles.select(1, 2)}),
               gaussians[absl::StrCat("out.wigner_D.l", degree)], "wigner_D");
  }
  ExpectNear(Run("rotate_sh", {gaussians["in.sh"], gaussians["in.sh_rotation"]}), gaussians["out.rotate_sh"],
             "rotate_sh");
  ExpectNear(Run("cam_quat_xyzw_to_world_quat_wxyz", {gaussians["in.cam_quat_xyzw"], gaussians["in.quat_c2w"]}),
             gaussians["out.world_quat"], "world quaternion");
}

TEST_F(Da3FunctionsTest, GaussianAdapter) {
  Tensors gaussians = Read("gaussians");
  const torch::jit::Module adapter = Module(*ParseCall("GaussianAdapter()"));
  const c10::IValue head = c10::ivalue::Tuple::create({gaussians["in.raw_gaussians"], gaussians["in.opacities"]});
  for (const std::string prefix : {"out.", "out.gt."}) {
    const c10::IValue given = prefix == "out." ? c10::IValue() : gaussians["in.gt_extrinsics"];
    const auto out = c10::impl::toTypedDict<std::string, at::Tensor>(
        adapter
            .get_method("forward")(
                {head, gaussians["in.depths"], gaussians["in.extrinsics"], gaussians["in.intrinsics"], given})
            .toGenericDict());
    for (const char* name : {"means", "scales", "rotations", "harmonics", "opacities"}) {
      ExpectNear(out.at(name), gaussians[prefix + name], prefix + name);
    }
  }
  ExpectNear(Run("pose_scales", {gaussians["in.gt_extrinsics"], gaussians["in.extrinsics"]}),
             gaussians["out.gt.umeyama_scale"], "scale");
}

TEST_F(Da3FunctionsTest, CamerasInOnePlaceHaveNoScale) {
  const at::Tensor eye = at::eye(4).expand({1, 3, 4, 4});
  EXPECT_EQ(Run("pose_scales", {eye, eye}).toTensor().item<double>(), 1);
  EXPECT_EQ(Run("pose_scales", {eye.slice(1, 0, 1), eye.slice(1, 0, 1)}).toTensor().item<double>(), 1);
}

// Rays of known cameras, with noise and, in the second file, a fifth of outliers.
class RayPoseTest : public Da3FunctionsTest, public testing::WithParamInterface<const char*> {
 protected:
  // Largest differences from the true extrinsics, and from the true focal lengths in units of half a side.
  static std::pair<double, double> Errors(const c10::IValue& cameras) {
    const auto json = nlohmann::json::parse(std::ifstream(absl::StrCat(kGoldens, GetParam(), ".json")));
    const auto& notes = json.at("notes").at(1);
    const auto truth = [&](const char* name, std::vector<int64_t> shape) {
      std::vector<double> numbers;
      for (const auto& number : notes.at(name).flatten()) numbers.push_back(number.get<double>());
      return at::tensor(numbers).reshape(shape);
    };
    const at::Tensor extrinsics = Element(cameras, 0).toTensor(), intrinsics = Element(cameras, 1).toTensor();
    const at::Tensor half_sides = at::tensor({42.0, 28.0});
    const at::Tensor focal =
        at::stack({intrinsics.select(-1, 0).select(-1, 0), intrinsics.select(-1, 1).select(-1, 1)}, -1);
    return {Distance(extrinsics, truth("true extrinsics", {1, 3, 4, 4}).slice(2, 0, 3)),
            Distance(at::div(focal, half_sides), truth("true focal (in units of half size)", {1, 3, 2}))};
  }
};

TEST_P(RayPoseTest, UpstreamsDrawsGiveUpstreamsCameras) {
  Tensors golden = Read(GetParam());
  const torch::jit::Module net = Variant("tiny_any");
  const c10::IValue homographies =
      net.get_method("ray_homographies")({golden["in.ray"], golden["in.ray_conf"], golden["ransac.sample_index"]});
  ExpectNear(homographies, at::cat({golden["ransac.homography"], golden["ransac.homography#2"]}), "homographies");
  const c10::IValue cameras = net.get_method("process_ray_pose_estimation")(
      {golden["in.ray"], golden["in.ray_conf"], golden["ransac.sample_index"], int64_t{56}, int64_t{84}});
  ExpectNear(Element(cameras, 0), golden["out.extrinsics"], "extrinsics");
  ExpectNear(Element(cameras, 1), golden["out.intrinsics"], "intrinsics");
}

TEST_P(RayPoseTest, TheTrueCamerasAreRecovered) {
  Tensors golden = Read(GetParam());
  const torch::jit::Module net = Variant("tiny_any");
  const c10::IValue draws = net.get_method("ransac_draws")({int64_t{16 * 24}, at::Device(at::kCPU)});
  for (const c10::IValue& drawn : {c10::IValue(golden["ransac.sample_index"]), draws}) {
    const auto [extrinsics, focal] = Errors(net.get_method("process_ray_pose_estimation")(
        {golden["in.ray"], golden["in.ray_conf"], drawn, int64_t{56}, int64_t{84}}));
    std::printf("%s: extrinsics within %.4f, focal lengths within %.4f\n", GetParam(), extrinsics, focal);
    // Upstream's own draws come no nearer: the origin is the mean of all rays', outliers included.
    EXPECT_LT(extrinsics, 0.05);
    EXPECT_LT(focal, 0.01);
  }
}

// A homography and its negative are the same one; only one of them turns into a rotation.
TEST_P(RayPoseTest, TheSignOfAHomographyDoesNotMatter) {
  Tensors golden = Read(GetParam());
  const at::Tensor homographies = at::cat({golden["ransac.homography"], golden["ransac.homography#2"]});
  for (const at::Tensor& either : {homographies, at::neg(homographies)}) {
    const c10::IValue cameras =
        Run("cameras_from_homographies", {either, golden["in.ray"], golden["in.ray_conf"], int64_t{56}, int64_t{84}});
    ExpectNear(Element(cameras, 0), golden["out.extrinsics"], "extrinsics");
  }
}

INSTANTIATE_TEST_SUITE_P(All, RayPoseTest, testing::Values("ray_pose", "ray_pose_outliers"));

TEST_F(Da3FunctionsTest, EveryDrawIsOfDifferentCandidates) {
  for (const int64_t candidates : {8, 9, 115, 24883, 1000000}) {
    const at::Tensor draws =
        Run("stratified_draws", {candidates, int64_t{100}, int64_t{8}, at::Device(at::kCPU)}).toTensor();
    EXPECT_EQ(draws.sizes(), at::IntArrayRef({100, 8}));
    EXPECT_GE(draws.min().item<int64_t>(), 0);
    EXPECT_LT(draws.max().item<int64_t>(), candidates);
    EXPECT_TRUE(draws.diff(1, 1).gt(0).all().item<bool>()) << candidates;
  }
}

}  // namespace
}  // namespace modelport
