// The shared layers give the outputs of torch.nn's and the named upstreams' modules in Python, on seeded inputs and
// weights.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/weights/weights.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"
#include "tests/goldens/golden_case.h"

namespace modelport {
namespace {

// A module and the shape of its input. The golden of this name is upstream's output.
struct LayerCase {
  std::string name;
  std::string call;
  std::vector<int64_t> input;
  int64_t every = 1;  // The golden has each so manieth number of the output, in order.
};

const LayerCase kCases[] = {
    {"linear", "Linear(5, 3)", {2, 4, 5}},
    {"linear_no_bias", "Linear(5, 3, bias=0)", {2, 4, 5}},
    {"conv_plain", "Conv2d(3, 4, kernel=3)", {2, 3, 9, 7}},
    {"conv_strided_no_bias", "Conv2d(3, 4, kernel=3, stride=2, padding=1, bias=false)", {2, 3, 9, 7}},
    {"conv_grouped", "Conv2d(6, 4, kernel=3, padding=1, groups=2)", {2, 6, 9, 7}},
    {"conv_dilated", "Conv2d(3, 4, kernel=3, padding=2, dilation=2)", {2, 3, 9, 7}},
    {"conv_asymmetric",
     "Conv2d(4, 4, kernel=3, kernel_w=5, stride=1, stride_w=2, padding=0, padding_w=2, dilation=2, dilation_w=1, "
     "groups=4)",
     {2, 4, 9, 7}},
    {"zero_pad", "ZeroPad2d(1, 2, 0, 3)", {2, 3, 4, 5}},
    {"batch_norm", "BatchNorm2d(3)", {2, 3, 4, 5}},
    {"batch_norm_eps", "BatchNorm2d(3, eps=1e-3)", {2, 3, 4, 5}},
    {"layer_norm_2d", "LayerNorm2d(6)", {2, 6, 4, 5}},
    {"prelu", "PReLU(3)", {2, 3, 4, 5}},
    {"max_pool", "MaxPool2d(3, stride=2, padding=1)", {2, 3, 9, 8}},
    {"max_pool_default_stride", "MaxPool2d(2)", {2, 3, 9, 8}},
    {"max_pool_ceil", "MaxPool2d(2, dilation=2, ceil_mode=true)", {2, 3, 9, 8}},
    {"adaptive_avg_pool", "AdaptiveAvgPool2d(1)", {2, 3, 9, 8}},
    {"adaptive_avg_pool_uneven", "AdaptiveAvgPool2d(2, 3)", {2, 3, 9, 8}},
    {"flatten", "Flatten()", {2, 3, 4, 5}},
    {"flatten_some", "Flatten(2, 3)", {2, 3, 4, 5, 2}},
    {"patch_embed", "PatchEmbed(6, 4, channels=4)", {2, 4, 8, 12}},
    {"attention_own_size", "RelativePositionAttention(12, 3, height=4, width=5)", {2, 4, 5, 12}},
    {"attention_resized", "RelativePositionAttention(12, 3, height=4)", {2, 7, 3, 12}},
    // The weights of all queries are 72 MB.
    {"attention_in_parts", "RelativePositionAttention(8, 8, height=750, width=2)", {1, 750, 2, 8}, /*every=*/13},
    {"partition", "Partition(4)", {2, 5, 9, 3}},
    {"windows", "Windows(4)", {2, 5, 9, 3}},
    {"position_bias", "PositionBias(3, heads=2)", {1, 2, 9, 9}},
    {"shifted_mask", "ShiftedMask(4, height=4, width=8)", {2, 16, 16}},
    {"rolled", "Rolled(2)", {2, 5, 3, 4}},
    {"rolled_back", "Rolled(-2)", {2, 5, 3, 4}},
};

// Modules that call functions: those for windows split, add its number to every window, and join; those of relative
// positions and of shifted windows add a bias and a mask to weights.
constexpr char kFunctionCallers[] = R"yaml(modules:
  Partition(window):
    constants: {window: window}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return partition_windows(x, self.window)
  Windows(window):
    constants: {window: window}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        y = partition_windows(x, self.window)
        y = y + torch.arange(y.shape[0]).reshape(-1, 1, 1, 1)
        return join_windows(y, self.window, x.shape[1], x.shape[2])
  PositionBias(window, heads):
    parameters: {relative_position_bias_table: ["(2 * window - 1) * (2 * window - 1)", heads]}
    constants: {window: window}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x + relative_position_bias(self.relative_position_bias_table, self.window)
  ShiftedMask(window, height, width):
    constants: {window: window, height: height, width: width}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        rows = shifted_regions(self.height, self.window, 3, x.device)
        columns = shifted_regions(self.width, self.window, 1, x.device)
        regions = partition_windows((rows.reshape(-1, 1) + columns).reshape(1, self.height, self.width, 1), self.window)
        regions = regions.reshape(-1, self.window * self.window)
        return x + (regions.unsqueeze(1) != regions.unsqueeze(2)).to(x.dtype) * -100.0
  Rolled(by):
    constants: {by: by}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return rolled(x, self.by)
  PatchMap(rows, columns):
    constants: {rows: rows, columns: columns}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return tokens_as_map(x[:, 1:], self.rows, self.columns)
)yaml";

absl::StatusOr<std::shared_ptr<const ModuleLibrary>> Layers() {
  ASSIGN_OR_RETURN(const auto plugins, LinkPlugins(GroupByFolder(BuiltInPlugins().value()), {}));
  auto library = std::make_shared<ModuleLibrary>();
  for (const auto& plugin : plugins) {
    if (plugin->family == "layers") RETURN_IF_ERROR(library->Include(*plugin->library));
  }
  RETURN_IF_ERROR(library->AddFile({"callers.yaml", kFunctionCallers}));
  return library;
}

absl::StatusOr<torch::jit::Module> BuildSeeded(const std::string& text) {
  ASSIGN_OR_RETURN(const auto library, Layers());
  ASSIGN_OR_RETURN(const Call call, ParseCall(text));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(library, call));
  const Checkpoint checkpoint = MakeSeededCheckpoint(PublishedKeys({}, tree), 0);
  Plan plan;
  for (const CheckpointTensor& tensor : checkpoint.state_dicts()[0].tensors) {
    plan.sources.emplace_back(Take{{checkpoint, &tensor}});
  }
  ASSIGN_OR_RETURN(BoundTensors bound, BindTensors(checkpoint, plan, tree, DType::kFloat32));
  // The copy is needed because the module outlives the checkpoint.
  for (at::Tensor& tensor : bound.tensors) tensor = tensor.clone();
  return BuildModule(tree, bound.tensors);
}

class LayersTest : public testing::TestWithParam<LayerCase> {};

TEST_P(LayersTest, GivesWhatUpstreamGives) {
  const c10::InferenceMode inference;
  ASSERT_OK_AND_ASSIGN(const auto goldens, ReadTensors("models/layers/testdata/references/layers/layers.safetensors"));
  ASSERT_OK_AND_ASSIGN(torch::jit::Module module, BuildSeeded(GetParam().call));
  at::Tensor x = at::empty(GetParam().input);
  SeededFill(absl::StrCat("input:", GetParam().name), 0, 0, 1, absl::MakeSpan(x.mutable_data_ptr<float>(), x.numel()));
  const at::Tensor expected = goldens.at(GetParam().name);
  at::Tensor actual = module.forward({x}).toTensor();
  if (GetParam().every > 1) actual = actual.flatten().slice(0, 0, c10::nullopt, GetParam().every);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  // As in golden_check.h: the noise is upstream in float32 against upstream in float64.
  const double noise = goldens.at("noise." + GetParam().name).item<double>();
  const double tolerance = std::max(4 * noise, 4e-6 * expected.abs().max().item<double>());
  EXPECT_LE((actual.to(at::kDouble) - expected.to(at::kDouble)).abs().max().item<double>(), tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, LayersTest, testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

// The patches of one image, behind a class token. Convolutions take the order of a map's memory only if its strides say
// that its channels are last, also that of the batch's dimension.
TEST(PatchMapTest, HasItsChannelsLastInTheMemoryOfTheTokens) {
  const c10::InferenceMode inference;
  ASSERT_OK_AND_ASSIGN(torch::jit::Module module, BuildSeeded("PatchMap(2, 3)"));
  const at::Tensor tokens = at::linspace(0, 1, 7 * 4).reshape({1, 7, 4});
  const at::Tensor map = module.forward({tokens}).toTensor();
  ASSERT_EQ(map.sizes(), (std::vector<int64_t>{1, 4, 2, 3}));
  EXPECT_EQ(map.suggest_memory_format(), at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(map.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(map.const_data_ptr(), tokens.const_data_ptr<float>() + 4);
  EXPECT_TRUE(map[0].select(1, 1).select(1, 2).equal(tokens[0][6]));
}

TEST(LayersGoldensTest, AreAllUsed) {
  ASSERT_OK_AND_ASSIGN(const auto goldens, ReadTensors("models/layers/testdata/references/layers/layers.safetensors"));
  EXPECT_EQ(goldens.size(), 2 * std::size(kCases));
}

}  // namespace
}  // namespace modelport
