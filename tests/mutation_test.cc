// Shows that the goldens and the table of constants find mistakes: each mutation of a plugin's text makes one of these
// tests fail.
#include <ATen/Parallel.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "tests/constants_check.h"
#include "tests/exported_module.h"
#include "tests/golden_case.h"
#include "tests/golden_check.h"
#include "tests/mutated_plugins.h"

namespace modelport {
namespace {

constexpr Mutation kMutations[] = {
    // eps
    {"layers/vision_transformer.yaml", "norm1: LayerNorm(dim, eps)", "norm1: LayerNorm(dim, eps=1e-5)"},
    {"layers/vision_transformer.yaml", "norm2: LayerNorm(dim, eps)", "norm2: LayerNorm(dim, eps=1e-5)"},
    {"dinov2/modules.yaml", "norm: LayerNorm(dim, eps)", "norm: LayerNorm(dim, eps=1e-5)"},
    {"layers/torch_nn.yaml", "self.weight, self.bias, self.eps)", "self.weight, self.bias)"},
    // heads, scale, activations
    {"layers/vision_transformer.yaml", "constants: {heads: heads}", "constants: {heads: 2 * heads}"},
    {"layers/vision_transformer.yaml", "scaled_dot_product_attention(q, k, v)",
     "scaled_dot_product_attention(q, k, v, None, 0.0, False, scale=0.25)"},
    {"layers/vision_transformer.yaml", "torch.gelu(self.fc1(x))", "torch.gelu(self.fc1(x), approximate=\"tanh\")"},
    {"layers/vision_transformer.yaml", "torch.silu(x1) * x2", "torch.silu(x2) * x1"},
    {"layers/torch_nn.yaml", "return torch.sigmoid(x)", "return torch.relu(x)"},
    // position embedding
    {"dinov2/modules.yaml", "offset=0.1", "offset=0.0"},
    {"dinov2/modules.yaml", "interpolate_antialias: antialias", "interpolate_antialias: false"},
    {"layers/vision_transformer.yaml", "size, False, scale_y", "size, True, scale_y"},
    {"layers/vision_transformer.yaml", "(columns + offset)", "columns"},
    {"layers/vision_transformer.yaml", "False, scale_y, scale_x", "False"},
    {"layers/vision_transformer.yaml", "rows == grid and columns == grid", "rows * columns == grid * grid + 1"},
    // tokens
    {"dinov2/modules.yaml", "x[:, 0:1], self.register_tokens.expand(x.shape[0], -1, -1)",
     "self.register_tokens.expand(x.shape[0], -1, -1), x[:, 0:1]"},
    {"dinov2/modules.yaml", "first_patch = 1 + self.num_register_tokens", "first_patch = 1"},
    // head
    {"layers/dpt.yaml", "constants: {align_corners: true}", "constants: {align_corners: false}"},
    {"layers/dpt.yaml", "out = self.conv1(torch.relu(x))", "out = self.conv1(x)"},
    {"depth_anything_v2/modules.yaml", "align_corners: true", "align_corners: false"},
    {"depth_anything_v2/modules.yaml", "kernel=3, stride=2, padding=1", "kernel=3, stride=1, padding=1"},
    {"depth_anything_v2/modules.yaml", "intermediate_layer_idx, False, True, True",
     "intermediate_layer_idx, False, True, False"},
    {"depth_anything_v2/testdata/plugin.yaml", "taps=[0, 1, 2, 3]", "taps=[0, 1, 1, 3]"},
    {"depth_anything_v2/testdata/plugin.yaml", "max_depth=20.0", "max_depth=80.0"},
    // rotary embedding
    {"layers/vision_transformer.yaml", "device=positions.device) / (head_dim // 2)",
     "device=positions.device) / head_dim"},
    {"layers/vision_transformer.yaml", "torch.cat([b, a, d, c], -1)", "torch.cat([c, d, a, b], -1)"},
    {"layers/vision_transformer.yaml", "q_norm: {module: \"LayerNorm(dim // heads, eps=1e-5)\"",
     "q_norm: {module: \"LayerNorm(dim // heads, eps=1e-6)\""},
    {"depth_anything_3/backbone.yaml", "qk_norm=1, rope=100", "qk_norm=1, rope=10000"},
    {"depth_anything_3/backbone.yaml", "torch.arange(1, rows + 1", "torch.arange(0, rows"},
    {"depth_anything_3/backbone.yaml", "torch.ones_like(patches)", "torch.zeros_like(patches)"},
    // views
    {"depth_anything_3/backbone.yaml", "i % 2 == 1", "i % 2 == 0"},
    {"depth_anything_3/backbone.yaml", "i == self.alt_start - 1", "i == self.alt_start"},
    {"depth_anything_3/backbone.yaml", "thresh_for_ref_selection: 3", "thresh_for_ref_selection: 4"},
    {"depth_anything_3/backbone.yaml", "place <= reference", "place < reference"},
    {"depth_anything_3/backbone.yaml", "out = restore_original_order(out, reference)", "out = out"},
    {"depth_anything_3/backbone.yaml", "score = (normalize_metric(similarity.sum(-1) / (S - 1)) - 0.5).abs()",
     "score = normalize_metric(similarity.sum(-1) / (S - 1))"},
    {"depth_anything_3/backbone.yaml", "self.norm(patches[..., C:])", "patches[..., C:]"},
    {"depth_anything_3/backbone.yaml", "eps=1e-5, masks=0", "masks=0"},
    // cameras
    {"depth_anything_3/cameras.yaml", "CameraEnc(dim, depth=4, heads=16)", "CameraEnc(dim, depth=4, heads=8)"},
    {"depth_anything_3/cameras.yaml", "Block(dim, heads, Mlp, 4 * dim, eps=1e-5)", "Block(dim, heads, Mlp, 4 * dim)"},
    {"depth_anything_3/cameras.yaml", "(H / 2) / intrinsics[..., 1, 1]", "(W / 2) / intrinsics[..., 1, 1]"},
    {"depth_anything_3/cameras.yaml", "torch.where(xyzw[..., 3:] < 0, -xyzw, xyzw)", "xyzw"},
    {"depth_anything_3/ray_pose.yaml", "last = 1.0 - 1.0 / cells", "last = 1.0"},
    {"depth_anything_3/networks.yaml", "ransac_threshold: 0.2", "ransac_threshold: 0.3"},
    // heads
    {"depth_anything_3/heads.yaml", "pos_embed_ratio: 0.1", "pos_embed_ratio: 0.2"},
    {"depth_anything_3/heads.yaml", "uv_pos_embed(x, W / H", "uv_pos_embed(x, H / W"},
    {"depth_anything_3/heads.yaml", "aspect / diagonal * (w - 1) / w", "aspect / diagonal"},
    {"depth_anything_3/heads.yaml", "align_corners: true", "align_corners: false"},
    {"depth_anything_3/heads.yaml", "fused.append(self.output_conv1_aux[3](x))",
     "fused.append(self.output_conv1_aux[2](x))"},
    {"depth_anything_3/heads.yaml", "LayerNorm(32, eps=1e-5)", "LayerNorm(32, eps=1e-6)"},
    {"depth_anything_3/keymap.yaml", "key: \"head.scratch.output_conv2_aux.0.2.{leaf}\"",
     "key: \"head.scratch.output_conv2_aux.{level}.2.{leaf}\""},
    {"depth_anything_3/networks.yaml", "torch.exp(main[:, :, 1]) + 1.0", "torch.exp(main[:, :, 1])"},
    // Gaussians
    {"depth_anything_3/gaussians.yaml", "0.1 * 0.0625", "0.1 * 0.25"},
    {"depth_anything_3/gaussians.yaml", "wigner_D(2, alpha, -beta, gamma)", "wigner_D(2, alpha, beta, gamma)"},
    {"depth_anything_3/gaussians.yaml", "[quaternion[..., 3:4], quaternion[..., 0:3]]",
     "[quaternion[..., 0:3], quaternion[..., 3:4]]"},
    {"depth_anything_3/gaussians.yaml", "depth.flatten(2, 3) + raw[..., 36]", "depth.flatten(2, 3)"},
    // sky and metres
    {"depth_anything_3/networks.yaml", "sky_threshold: 0.3, sky_quantile", "sky_threshold: 0.5, sky_quantile"},
    {"depth_anything_3/networks.yaml", "metric_focal: 300.0", "metric_focal: 100.0"},
    {"depth_anything_3/networks.yaml", "conf_quantile: 0.5", "conf_quantile: 0.4"},
    // convolutions with batch normalisation
    {"layers/torch_nn.yaml", "BatchNorm2d(dim, eps=1e-5)", "BatchNorm2d(dim, eps=1e-3)"},
    {"resnet/modules.yaml", "out = torch.relu(self.bn1(self.conv1(x)))", "out = self.bn1(self.conv1(x))"},
    {"resnet/modules.yaml", "return torch.relu(out + x)", "return torch.relu(out) + x"},
    {"resnet/modules.yaml", "MaxPool2d(3, stride=2, padding=1)", "MaxPool2d(3, stride=2, padding=1, ceil_mode=true)"},
    {"vitmatte/matting.yaml", "pixel_mean: [0.485, 0.456, 0.406]", "pixel_mean: [0.5, 0.5, 0.5]"},
    {"vitmatte/matting.yaml", "bottom == 0 and right == 0", "bottom == 0 or right == 0"},
    {"vitmatte/matting.yaml", "torch.cat([detail, x], 1)", "torch.cat([x, detail], 1)"},
    {"vitmatte/matting.yaml", "kernel=3, stride=stride, padding=1, bias=0", "kernel=3, stride=stride, padding=1"},
    {"vitmatte/backbone.yaml", "eps=1e-6", "eps=1e-5"},
    {"vitmatte/backbone.yaml", "[h, w], False", "[h, w], True"},
    {"vitmatte/backbone.yaml", "return x + self.norm3", "return self.norm3"},
    {"vitmatte/backbone.yaml", "ViTBlock(dim, heads, window, window)", "ViTBlock(dim, heads, window, window - 1)"},
    {"layers/torch_nn.yaml", "LayerNorm2d(dim, eps=1e-6)", "LayerNorm2d(dim, eps=1e-5)"},
    {"layers/windowed_attention.yaml", "[length], False", "[length], True"},
    {"layers/windowed_attention.yaml", "place.unsqueeze(1) - place.unsqueeze(0)",
     "place.unsqueeze(0) - place.unsqueeze(1)"},
    {"layers/windowed_attention.yaml", "math.sqrt(float(c))", "math.sqrt(float(C))"},
    {"resnet/testdata/plugin.yaml", "groups=4, base_width=32", "groups=1, base_width=128"},
    // points, a mask, normals and a scale
    {"moge/modules.yaml", "torch.replication_pad2d(x, [1, 1, 1, 1])", "torch.constant_pad_nd(x, [1, 1, 1, 1], 0.0)"},
    {"moge/modules.yaml", "[2 * x.shape[2], 2 * x.shape[3]], False", "[2 * x.shape[2], 2 * x.shape[3]], True"},
    {"moge/modules.yaml", "return self.layers(x) + x", "return self.layers(x)"},
    {"moge/modules.yaml", "torch._upsample_bilinear2d_aa(y, size, False)", "torch.upsample_bilinear2d(y, size, False)"},
    {"moge/modules.yaml", "(image - self.image_mean) / self.image_std", "image / self.image_std - self.image_mean"},
    {"moge/modules.yaml", "self.intermediate_layers, True, True, True", "self.intermediate_layers, True, True, False"},
    {"moge/modules.yaml", "features[-1][1]", "features[0][1]"},
    {"moge/modules.yaml", "int(round((num_tokens / aspect) ** 0.5))", "int((num_tokens / aspect) ** 0.5 + 0.5)"},
    {"moge/modules.yaml", "columns * scale, aspect, x.device", "columns * scale, columns / rows, x.device"},
    {"moge/modules.yaml", "torch.cat([points[:, 0:2] * z, z], 1)", "torch.cat([points[:, 0:2], z], 1)"},
    {"moge/modules.yaml", "[x.shape[2], x.shape[3]], False)", "[x.shape[2], x.shape[3]], True)"},
    {"moge/modules.yaml", "shift.reshape(-1, 1, 1)", "shift.reshape(-1, 1, 1) * 0.5"},
    {"moge/modules.yaml", "normal.norm(2, [-1], True)", "normal.norm(1, [-1], True)"},
    {"moge/modules.yaml", "depth * scale\n", "depth\n"},
    {"moge/modules.yaml", "mask_threshold: 0.5", "mask_threshold: 0.4"},
    {"moge/geometry.yaml", "span_x * (columns - 1) / columns", "span_x"},
    {"moge/geometry.yaml", "span_x * (columns - 1) / columns, span_y * (rows - 1) / rows", "span_y, span_x"},
    {"moge/geometry.yaml", "is_flat = abs(actual) <= 1e-3", "is_flat = abs(actual) <= 1e-12"},
    {"moge/geometry.yaml", "math.radians(fov_x) / 2", "math.radians(fov_x)"},
    {"moge/geometry.yaml", "torch.linspace(0.5 / W, 1.0 - 0.5 / W", "torch.linspace(0.0, 1.0"},
    {"moge/geometry.yaml", "fy = focal / 2 * (1 + aspect ** 2) ** 0.5",
     "fy = focal / 2 * (1 + aspect ** 2) ** 0.5 / aspect"},
};

struct Family {
  std::string name;
  std::vector<std::string> models;
};

// In this order; a shared file's mutation costs the time of all families before the one that fails.
const Family kFamilies[] = {
    {"vitmatte", {"tiny_vitmatte"}},
    {"dinov2", {"tiny_dinov2", "tiny_dinov2_reg", "tiny_dinov2_swiglu_reg"}},
    {"depth_anything_v2", {"tiny_dav2", "tiny_dav2_metric"}},
    {"depth_anything_3", {"tiny_any", "tiny_mono", "tiny_nested"}},
    {"resnet", {"tiny_resnet", "tiny_resnet_bottleneck", "tiny_resnext"}},
    {"moge", {"tiny_moge", "tiny_moge_points"}},
};

// Threads slow tiny models down, above all on a busy machine.
class OneThread : public testing::Environment {
  void SetUp() override { at::set_num_threads(1); }
};

const testing::Environment* const kOneThread = testing::AddGlobalTestEnvironment(new OneThread);

// The first golden case of `model` that is not reproduced; empty if all are.
absl::StatusOr<std::vector<std::string>> GoldenComplaints(const torch::jit::Module& module, const std::string& family,
                                                          const std::vector<GoldenCase>& cases) {
  ASSIGN_OR_RETURN(const GoldenTable table, ReadGoldenTable("tests/stages.txt"));
  std::vector<std::string> complaints;
  for (const GoldenCase& golden : cases) {
    const auto results = CheckGolden(module, family, golden, table);
    if (!results.ok()) return std::vector<std::string>{absl::StrCat("cannot run: ", results.status().message())};
    for (const StageResult& result : *results) {
      if (!result.ok()) complaints.push_back(result.stage);
    }
    if (!complaints.empty()) break;
  }
  return complaints;
}

// The failures of the tests of a tiny model. An error if it has no module to test.
absl::StatusOr<std::vector<std::string>> Complaints(const Registry& registry, const std::string& family,
                                                    const std::string& model) {
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(const std::vector<GoldenCase> cases, ReadGoldenCases("tests/goldens/" + model));
  ASSIGN_OR_RETURN(const torch::jit::Module module, ExportSeeded(registry, model, cases.front().seed));
  ASSIGN_OR_RETURN(const ConstantsTable constants, ReadConstantsTable("tests/constants/" + family + ".txt"));
  std::vector<std::string> complaints = CheckConstants(tree, constants, model);
  if (!complaints.empty()) return complaints;
  return GoldenComplaints(module, family, cases);
}

// The failures of the first model that has some. `file` was changed: if it belongs to no family, all models are tested.
// An error if a model cannot be exported: such a mutation shows nothing about the tests.
absl::StatusOr<std::vector<std::string>> Complaints(const std::string& plugin_path, const std::string& file) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(EmbeddedPlugins(), {plugin_path}));
  const bool is_shared = std::none_of(std::begin(kFamilies), std::end(kFamilies),
                                      [&](const Family& family) { return file.starts_with(family.name + "/"); });
  for (const Family& family : kFamilies) {
    if (!is_shared && !file.starts_with(family.name + "/")) continue;
    for (const std::string& model : family.models) {
      ASSIGN_OR_RETURN(std::vector<std::string> complaints, Complaints(registry, family.name, model));
      if (!complaints.empty()) return complaints;
    }
  }
  return std::vector<std::string>();
}

TEST(MutationTest, TheUnchangedTextFailsNoTest) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> complaints, Complaints("models", ""));
  EXPECT_THAT(complaints, testing::IsEmpty());
}

TEST(MutationTest, AMutationThatDoesNotCompileDoesNotCount) {
  const Mutation bad = {"layers/torch_nn.yaml", "return torch.sigmoid(x)", "return torch.sigmoid(x"};
  EXPECT_THAT(Complaints(MutatedModels(bad), bad.file), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
}

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, FailsATest) {
  SCOPED_TRACE(absl::StrCat(GetParam().from, " -> ", GetParam().to));
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> complaints,
                       Complaints(MutatedModels(GetParam()), GetParam().file));
  ASSERT_THAT(complaints, testing::Not(testing::IsEmpty()));
  std::printf("%s -> %s: %zu complaints, first: %s\n", GetParam().from, GetParam().to, complaints.size(),
              complaints.front().c_str());
}

INSTANTIATE_TEST_SUITE_P(Slips, MutationTest, testing::ValuesIn(kMutations));

}  // namespace
}  // namespace modelport
