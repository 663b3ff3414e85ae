// Files of ESRGAN's users: upstream's older names, and networks of other sizes than the published ones.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/infer_models.h"
#include "registry/registry.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::pair<std::string, std::string>>;

struct OlderNames {
  std::string layout;
  Names replaced;  // What stands there, for what BasicSR has.
};

class EsrganLayoutTest : public testing::TestWithParam<OlderNames> {};

TEST_P(EsrganLayoutTest, OlderNamesFillTheSlots) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_rrdb"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  std::vector<SeededKey> keys = PublishedKeys(entry.plugin->key_map, tree);
  for (SeededKey& key : keys) key.key = absl::StrReplaceAll(key.key, GetParam().replaced);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("esrgan.pth", keys);
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, entry.plugin->key_map, tree, {}, "tiny_rrdb"));
  EXPECT_EQ(plan.layout, GetParam().layout);
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    ASSERT_EQ(plan.sources[i].inputs().size(), 1) << tree.slots[i].name;
    EXPECT_EQ(plan.sources[i].inputs()[0].tensor->key, absl::StrReplaceAll(tree.slots[i].name, GetParam().replaced));
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, EsrganLayoutTest,
                         testing::Values(OlderNames{"bsrgan",
                                                    {{"conv_body", "trunk_conv"},
                                                     {"body", "RRDB_trunk"},
                                                     {"rdb", "RDB"},
                                                     {"conv_up1", "upconv1"},
                                                     {"conv_up2", "upconv2"},
                                                     {"conv_hr", "HRconv"}}},
                                         OlderNames{"old",
                                                    {{"conv_first", "model.0"},
                                                     {"conv_body", "model.1.sub.2"},  // After two blocks.
                                                     {"conv_up1", "model.3"},
                                                     {"conv_up2", "model.6"},
                                                     {"conv_hr", "model.8"},
                                                     {"conv_last", "model.10"},
                                                     {"body", "model.1.sub"},
                                                     {"rdb", "RDB"},
                                                     {"conv1", "conv1.0"},
                                                     {"conv2", "conv2.0"},
                                                     {"conv3", "conv3.0"},
                                                     {"conv4", "conv4.0"},
                                                     {"conv5", "conv5.0"}}}),
                         [](const auto& info) { return info.param.layout; });

// The flags for the models that a file of `module` fits, a call of one of the family's roots.
std::vector<std::string> FlagsFor(const std::string& module) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {});
  const absl::StatusOr<CatalogEntry> entry = registry->Find("realesrgan_x4plus");
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry->plugin->library, *ParseCall(module));
  EXPECT_OK(tree);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("own.pth", PublishedKeys(entry->plugin->key_map, *tree));
  std::vector<std::string> flags;
  for (const InferredModel& model : InferModels(*registry, checkpoint, {})) flags.push_back(FlagsOf(model));
  return flags;
}

TEST(EsrganArgumentsTest, KeysAndShapesTellThem) {
  EXPECT_THAT(FlagsFor("RRDBNet(features=32, blocks=5, grow=16)"),
              ElementsAre("--model=realesrgan_x4plus --set=blocks=5,features=32,grow=16"));
  EXPECT_THAT(FlagsFor("RRDBNet(scale=1)"), testing::Contains("--model=realesrgan_x4plus --set=scale=1"));
  EXPECT_THAT(FlagsFor("RRDBNet(channels=1, scale=2)"),
              testing::Contains("--model=realesrgan_x2plus --set=channels=1"));
  EXPECT_THAT(FlagsFor("SRVGGNetCompact(scale=2)"), ElementsAre("--model=realesr_animevideov3 --set=scale=2"));
  EXPECT_THAT(FlagsFor("SRVGGNetCompact(features=48, convs=8, channels=1, scale=3)"),
              ElementsAre("--model=realesr_animevideov3 --set=channels=1,convs=8,features=48,scale=3"));
}

}  // namespace
}  // namespace modelport
