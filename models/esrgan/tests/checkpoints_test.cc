// Files of ESRGAN's users: upstream's older names, and networks of other sizes than the published ones.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
  std::string name;
  std::string model;
  std::string layout;
  Names replaced;  // What stands there, for what BasicSR has.
};

class EsrganLayoutTest : public testing::TestWithParam<OlderNames> {};

TEST_P(EsrganLayoutTest, OlderNamesFillTheSlots) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(GetParam().model));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  std::vector<SeededKey> keys = PublishedKeys(entry.plugin->key_map, tree);
  for (SeededKey& key : keys) key.key = absl::StrReplaceAll(key.key, GetParam().replaced);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("esrgan.pth", keys);
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, entry.plugin->key_map, tree, {}, GetParam().model));
  EXPECT_EQ(plan.layout, GetParam().layout);
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    ASSERT_EQ(plan.sources[i].inputs().size(), 1) << tree.slots[i].name;
    EXPECT_EQ(plan.sources[i].inputs()[0].tensor->key, absl::StrReplaceAll(tree.slots[i].name, GetParam().replaced));
  }
}

// The names of BSRGAN and RealSR.
const Names& BsrganNames() {
  static const Names* const names = new Names{{"conv_body", "trunk_conv"},
                                              {"body", "RRDB_trunk"},
                                              {"rdb", "RDB"},
                                              {"conv_up", "upconv"},
                                              {"conv_hr", "HRconv"}};
  return *names;
}

// Those of ESRGAN's first release for a network of so many blocks, whose convolutions behind the trunk have the names
// `rest`.
Names OldNames(int blocks, const Names& rest) {
  Names names = {{"conv_first", "model.0"}, {"conv_body", absl::StrCat("model.1.sub.", blocks)},
                 {"body", "model.1.sub"},   {"rdb", "RDB"},
                 {"conv1.", "conv1.0."},    {"conv2.", "conv2.0."},
                 {"conv3.", "conv3.0."},    {"conv4.", "conv4.0."},
                 {"conv5.", "conv5.0."}};
  names.insert(names.end(), rest.begin(), rest.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, EsrganLayoutTest,
    testing::Values(OlderNames{"bsrgan", "tiny_rrdb", "bsrgan", BsrganNames()},
                    OlderNames{"bsrgan_x2", "tiny_rrdb_unfolded_x2", "bsrgan", BsrganNames()},
                    OlderNames{"old_x1", "tiny_rrdb_unfolded_x1", "old",
                               OldNames(2, {{"conv_hr", "model.2"}, {"conv_last", "model.4"}})},
                    OlderNames{
                        "old_x2", "tiny_rrdb_unfolded_x2", "old",
                        OldNames(1, {{"conv_up1", "model.3"}, {"conv_hr", "model.5"}, {"conv_last", "model.7"}})},
                    OlderNames{"old_x4", "tiny_rrdb", "old",
                               OldNames(2, {{"conv_up1", "model.3"},
                                            {"conv_up2", "model.6"},
                                            {"conv_hr", "model.8"},
                                            {"conv_last", "model.10"}})},
                    OlderNames{"old_x8", "tiny_rrdb_x8", "old",
                               OldNames(1, {{"conv_up1", "model.3"},
                                            {"conv_up2", "model.6"},
                                            {"conv_up3", "model.9"},
                                            {"conv_hr", "model.11"},
                                            {"conv_last", "model.13"}})},
                    OlderNames{"old_plus", "tiny_rrdb_plus", "old",
                               OldNames(1, {{"conv_up1", "model.3"},
                                            {"conv_up2", "model.6"},
                                            {"conv_hr", "model.8"},
                                            {"conv_last", "model.10"}})}),
    [](const auto& info) { return info.param.name; });

// The flags for the models that a file of `module` fits, a call of one of the family's roots, with keys `replaced`.
std::vector<std::string> FlagsFor(const std::string& module, const Names& replaced = {}) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {});
  const absl::StatusOr<CatalogEntry> entry = registry->Find("realesrgan_x4plus");
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry->plugin->library, *ParseCall(module));
  EXPECT_OK(tree);
  std::vector<SeededKey> keys = PublishedKeys(entry->plugin->key_map, *tree);
  for (SeededKey& key : keys) key.key = absl::StrReplaceAll(key.key, replaced);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("own.pth", keys);
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

// Which of an image's pixels a network folds into channels, the shape of its first convolution tells; how often it
// doubles the size, its convolutions do.
TEST(EsrganArgumentsTest, ScaleFollowsFromDoublingsAndFold) {
  const Names x1 = OldNames(23, {{"conv_hr", "model.2"}, {"conv_last", "model.4"}});
  const Names x2 = OldNames(23, {{"conv_up1", "model.3"}, {"conv_hr", "model.5"}, {"conv_last", "model.7"}});
  const Names x4 = OldNames(
      6, {{"conv_up1", "model.3"}, {"conv_up2", "model.6"}, {"conv_hr", "model.8"}, {"conv_last", "model.10"}});
  const Names x8 = OldNames(23, {{"conv_up1", "model.3"},
                                 {"conv_up2", "model.6"},
                                 {"conv_up3", "model.9"},
                                 {"conv_hr", "model.11"},
                                 {"conv_last", "model.13"}});
  EXPECT_THAT(FlagsFor("RRDBNet(scale=1, fold=1)", x1),
              testing::Contains("--model=realesrgan_x4plus --set=fold=1,scale=1"));
  EXPECT_THAT(FlagsFor("RRDBNet(scale=2, fold=1)", x2), ElementsAre("--model=realesrgan_x2plus --set=fold=1"));
  EXPECT_THAT(FlagsFor("RRDBNet(scale=2, fold=1)", BsrganNames()),
              ElementsAre("--model=realesrgan_x2plus --set=fold=1"));
  EXPECT_THAT(FlagsFor("RRDBNet(scale=8)", x8), ElementsAre("--model=realesrgan_x4plus --set=scale=8"));
  EXPECT_THAT(FlagsFor("RRDBNet(blocks=6, features=32, channels=1)", x4),
              ElementsAre("--model=realesrgan_x4plus_anime_6b --set=channels=1,features=32"));
  // Real-ESRGAN's own network of a smaller scale, in the old names.
  EXPECT_THAT(FlagsFor("RRDBNet(blocks=6, scale=2)", x4), ElementsAre("--model=realesrgan_x2plus --set=blocks=6"));
}

// A convolution more in each dense block.
TEST(EsrganArgumentsTest, ConvolutionsOfEsrganPlusTellIt) {
  const Names x4 = OldNames(
      23, {{"conv_up1", "model.3"}, {"conv_up2", "model.6"}, {"conv_hr", "model.8"}, {"conv_last", "model.10"}});
  EXPECT_THAT(FlagsFor("RRDBNet(plus=1)", x4), ElementsAre("--model=realesrgan_x4plus --set=plus=1"));
  EXPECT_THAT(FlagsFor("RRDBNet(plus=1)"), ElementsAre("--model=realesrgan_x4plus --set=plus=1"));
}

}  // namespace
}  // namespace modelport
