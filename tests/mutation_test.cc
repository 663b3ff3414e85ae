// Shows that the goldens and the table of constants would catch a slip: each mutation of a plugin's text turns one of
// them red.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/registry.h"
#include "tests/constants_check.h"
#include "tests/exported_module.h"
#include "tests/golden_case.h"
#include "tests/golden_check.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

struct Mutation {
  const char* file;  // Below models/.
  const char* from;  // Its first occurrence is replaced.
  const char* to;
};

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
    {"dinov2/modules.yaml", "interpolate_align_corners: false", "interpolate_align_corners: true"},
    {"layers/vision_transformer.yaml", "(columns + offset)", "columns"},
    {"layers/vision_transformer.yaml", "align_corners, scale_y, scale_x", "align_corners"},
    {"layers/vision_transformer.yaml", "rows == grid and columns == grid", "rows * columns == grid * grid + 1"},
    // tokens
    {"dinov2/modules.yaml", "x[:, 0:1], self.register_tokens.expand(x.shape[0], -1, -1)",
     "self.register_tokens.expand(x.shape[0], -1, -1), x[:, 0:1]"},
    {"dinov2/modules.yaml", "first_patch = 1 + self.num_register_tokens", "first_patch = 1"},
    {"dinov2/modules.yaml", "num_register_tokens: registers", "num_register_tokens: 0"},
    // head
    {"layers/dpt.yaml", "constants: {align_corners: true}", "constants: {align_corners: false}"},
    {"layers/dpt.yaml", "out = self.conv1(torch.relu(x))", "out = self.conv1(x)"},
    {"depth_anything_v2/modules.yaml", "align_corners: true", "align_corners: false"},
    {"depth_anything_v2/modules.yaml", "kernel=3, stride=2, padding=1", "kernel=3, stride=1, padding=1"},
    {"depth_anything_v2/modules.yaml", "intermediate_layer_idx, False, True, True",
     "intermediate_layer_idx, False, True, False"},
    {"depth_anything_v2/testdata/plugin.yaml", "taps=[0, 1, 2, 3]", "taps=[0, 1, 1, 3]"},
    {"depth_anything_v2/testdata/plugin.yaml", "max_depth=20.0", "max_depth=80.0"},
};

constexpr const char* kModels[] = {"tiny_dinov2", "tiny_dinov2_reg", "tiny_dinov2_swiglu_reg", "tiny_dav2",
                                   "tiny_dav2_metric"};

// Everything that the tests of a tiny model would complain about.
std::vector<std::string> Complaints(const Registry& registry, const std::string& model) {
  const auto entry = registry.Find(model);
  if (!entry.ok()) return {std::string(entry.status().message())};
  const bool is_dinov2 = model.rfind("tiny_dinov2", 0) == 0;
  const auto tree = BuildModuleTree(entry->plugin->library, entry->variant->module);
  if (!tree.ok()) return {std::string(tree.status().message())};
  const auto constants =
      ReadConstantsTable(is_dinov2 ? "tests/constants/dinov2.txt" : "tests/constants/depth_anything_v2.txt");
  EXPECT_OK(constants);
  std::vector<std::string> complaints = CheckConstants(*tree, *constants, model);

  const auto table = ReadStageTable("tests/stages.txt");
  const auto cases = ReadGoldenCases("tests/goldens/" + model);
  EXPECT_OK(table);
  EXPECT_OK(cases);
  const auto module = ExportSeeded(registry, model, /*seed=*/0);
  if (!module.ok()) return {std::string(module.status().message())};
  for (const GoldenCase& golden : *cases) {
    const auto results = CheckGolden(*module, is_dinov2 ? "dinov2" : "depth_anything_v2", golden, *table);
    if (!results.ok()) return {std::string(results.status().message())};
    for (const StageResult& result : *results) {
      if (!result.ok()) complaints.push_back(result.stage);
    }
  }
  return complaints;
}

std::vector<std::string> Complaints(const std::string& plugin_path) {
  const auto registry = Registry::Load(plugin_path);
  if (!registry.ok()) return {std::string(registry.status().message())};
  std::vector<std::string> complaints;
  for (const char* model : kModels) {
    for (std::string& complaint : Complaints(*registry, model)) complaints.push_back(std::move(complaint));
  }
  return complaints;
}

// A copy of models/ in which `mutation` is made.
std::string MutatedModels(const Mutation& mutation) {
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / "models";
  fs::remove_all(folder);
  fs::copy("models", folder, fs::copy_options::recursive);
  const fs::path path = folder / mutation.file;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string mutated = text.str();
  const size_t at = mutated.find(mutation.from);
  EXPECT_NE(at, std::string::npos) << mutation.file << " has no " << mutation.from;
  if (at != std::string::npos) mutated.replace(at, std::string(mutation.from).size(), mutation.to);
  fs::remove(path);
  std::ofstream(path) << mutated;
  return folder;
}

TEST(MutationTest, TheTextAsItIsHasNoComplaints) { EXPECT_THAT(Complaints("models"), testing::IsEmpty()); }

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, TurnsATestRed) {
  const std::vector<std::string> complaints = Complaints(MutatedModels(GetParam()));
  ASSERT_THAT(complaints, testing::Not(testing::IsEmpty())) << GetParam().from << " -> " << GetParam().to;
  std::printf("%s -> %s: %zu complaints, first: %s\n", GetParam().from, GetParam().to, complaints.size(),
              complaints.front().c_str());
}

INSTANTIATE_TEST_SUITE_P(Slips, MutationTest, testing::ValuesIn(kMutations));

}  // namespace
}  // namespace modelport
