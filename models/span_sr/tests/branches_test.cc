// Files as training leaves them: what a network runs is folded from their branches, as upstream folds it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/infer_models.h"
#include "registry/registry.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

const Registry& Models() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {}).value());
  return *registry;
}

const Plugin& Span() { return *Models().Find("span_x4_ch48")->plugin; }

ModuleTree TreeOf(const std::string& module) { return BuildModuleTree(Span().library, *ParseCall(module)).value(); }

// The keys of a file of `tree` with the branches of each convolution.
std::vector<SeededKey> BranchKeys(const ModuleTree& tree) {
  std::vector<SeededKey> keys = PublishedKeys(Span().key_map, tree);
  const size_t count = keys.size();
  for (size_t i = 0; i < count; ++i) {
    absl::string_view path = keys[i].key;
    if (!absl::ConsumeSuffix(&path, ".eval_conv.weight")) continue;
    const int64_t outputs = keys[i].shape[0], inputs = keys[i].shape[1];
    const std::string prefix(path);
    const auto add = [&](absl::string_view name, const Shape& weight) {
      keys.push_back({absl::StrCat(prefix, ".", name, ".weight"), weight});
      keys.push_back({absl::StrCat(prefix, ".", name, ".bias"), {weight[0]}});
    };
    add("sk", {outputs, inputs, 1, 1});
    add("conv.0", {2 * inputs, inputs, 1, 1});
    add("conv.1", {2 * outputs, 2 * inputs, 3, 3});
    add("conv.2", {outputs, 2 * outputs, 1, 1});
  }
  return keys;
}

std::vector<float> Floats(size_t count, const char* bytes) {
  std::vector<float> floats(count);
  std::memcpy(floats.data(), bytes, count * sizeof(float));
  return floats;
}

// Of two operations, each of which rounds numbers to float32 that are no larger than twice the largest of `wanted`.
float RoundingOf(const std::vector<float>& wanted) {
  float largest = 0;
  for (const float number : wanted) largest = std::max(largest, std::abs(number));
  return 2 * std::numeric_limits<float>::epsilon() * largest;
}

TEST(SpanBranchesTest, AreFoldedAsUpstreamFoldsThem) {
  const ModuleTree tree = TreeOf("SPAN(features=4, scale=2)");
  const Checkpoint checkpoint = MakeSeededCheckpoint(BranchKeys(tree), /*seed=*/0);
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, Span().key_map, tree, {}, "span"));
  EXPECT_EQ(plan.layout, "branches");
  ASSERT_OK_AND_ASSIGN(const Checkpoint golden,
                       OpenCheckpoint("models/span_sr/testdata/references/folded/folded.safetensors"));
  size_t compared = 0;
  for (const CheckpointTensor& tensor : golden.state_dicts()[0].tensors) {
    for (size_t i = 0; i < tree.slots.size(); ++i) {
      if (tree.slots[i].name != tensor.key) continue;
      ASSERT_EQ(plan.sources[i].shape(), tensor.shape);
      const size_t count = *ElementCount(tensor.shape);
      std::vector<char> folded(count * sizeof(float));
      ASSERT_OK(plan.sources[i].Evaluate(folded.data()));
      const std::vector<float> wanted = Floats(count, ViewTensor(golden, tensor).data);
      EXPECT_THAT(Floats(count, folded.data()), Pointwise(FloatNear(RoundingOf(wanted)), wanted)) << tensor.key;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 8);
}

// eval_conv of such a file may be older than its branches.
TEST(SpanBranchesTest, NothingElseOfTheFileFillsAConvolution) {
  const ModuleTree tree = TreeOf("SPAN()");
  const Checkpoint checkpoint = MakeHeaderCheckpoint("4x-spanx4-ch48.pth", BranchKeys(tree));
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, Span().key_map, tree, {}, "span_x4_ch48"));
  EXPECT_EQ(plan.layout, "branches");
  EXPECT_EQ(plan.changed.size(), 40);  // Weights and biases of 20 convolutions.
  EXPECT_EQ(plan.unused.size(), 40);
  for (const auto& [key, reason] : plan.unused) EXPECT_TRUE(absl::StrContains(key, ".eval_conv.")) << key;
  for (const SlotSource& source : plan.sources) {
    for (const SourceInput& input : source.inputs()) {
      EXPECT_FALSE(absl::StrContains(input.tensor->key, ".eval_conv.")) << input.tensor->key;
    }
  }
}

// The flags for the models that a file of `module` fits, with and without the branches, which are the same.
std::vector<std::string> FlagsFor(const std::string& module) {
  const ModuleTree tree = TreeOf(module);
  std::vector<std::vector<std::string>> flags;
  for (const std::vector<SeededKey>& keys : {BranchKeys(tree), PublishedKeys(Span().key_map, tree)}) {
    flags.emplace_back();
    const Checkpoint checkpoint = MakeHeaderCheckpoint("own.pth", keys);
    for (const InferredModel& model : InferModels(Models(), checkpoint, {})) flags.back().push_back(FlagsOf(model));
  }
  EXPECT_EQ(flags[0], flags[1]);
  return flags[0];
}

TEST(SpanArgumentsTest, KeysAndShapesTellThem) {
  EXPECT_THAT(FlagsFor("SPAN(scale=1)"), ElementsAre("--model=span_x2_ch48 --set=scale=1"));
  EXPECT_THAT(FlagsFor("SPAN(features=32)"), ElementsAre("--model=span_x4_ch48 --set=features=32"));
  EXPECT_THAT(FlagsFor("SPAN(scale=2, channels=1, norm=0)"),
              ElementsAre("--model=span_x2_ch48 --set=channels=1,norm=0"));
}

}  // namespace
}  // namespace modelport
