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
    {"resnet/testdata/plugin.yaml", "groups=4, base_width=32", "groups=1, base_width=128"},
};

struct Family {
  std::string name;
  std::vector<std::string> models;
};

const Family kFamilies[] = {
    {"dinov2", {"tiny_dinov2", "tiny_dinov2_reg", "tiny_dinov2_swiglu_reg"}},
    {"depth_anything_v2", {"tiny_dav2", "tiny_dav2_metric"}},
    {"depth_anything_3", {"tiny_any", "tiny_mono", "tiny_nested"}},
    {"resnet", {"tiny_resnet", "tiny_resnet_bottleneck", "tiny_resnext"}},
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
