// Checkpoints in every layout of the catalog's families, made by the libraries whose layouts they are: each is
// recognised by its keys and fills the slots with the same weights as upstream's own file. A family's
// testdata/layouts.txt names the files LAYOUT/MODEL.safetensors of tests/checkpoints/layouts with upstream's seeded
// weights:
//   recognised  the layout that such a file is taken for, where it is another
//   drafted     how many of the model's slots a layout fills that is drafted from the file, where that is tested
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"
#include "tests/support/layout_file.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

struct File {
  std::string layout, model;
  std::string recognised;  // The layout that it is taken for.
};

// What the checkpoint in the given file fills the model's slots with.
class LayoutsTest : public testing::TestWithParam<File> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(GetParam().model));
    key_map_ = entry.plugin->key_map;
    ASSERT_OK_AND_ASSIGN(tree_, BuildModuleTree(entry.plugin->library, entry.variant->module));
    path_ = LayoutFile(GetParam().layout, GetParam().model);
  }

  absl::StatusOr<Plan> Make(const std::string& layout) {
    ASSIGN_OR_RETURN(const Checkpoint checkpoint, OpenCheckpoint(path_));
    return MakePlan(checkpoint, key_map_, tree_, {layout}, GetParam().model);
  }

  // Whether timm has changed the values of cls_token and pos_embed.
  bool has_timm_registers() const { return GetParam().layout == "timm" && absl::StrContains(GetParam().model, "reg"); }

  KeyMap key_map_;
  ModuleTree tree_;
  std::string path_;
};

std::vector<float> Evaluated(const SlotSource& source) {
  std::vector<float> elements(*ElementCount(source.shape()));
  EXPECT_OK(source.Evaluate(reinterpret_cast<char*>(elements.data())));
  return elements;
}

// The weights of upstream's file for a key.
std::vector<float> Seeded(const std::string& key, const Shape& shape) {
  std::vector<float> elements(*ElementCount(shape));
  SeededWeights(key, shape, 0, absl::MakeSpan(elements));
  return elements;
}

// The floats are the same bits.
bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_P(LayoutsTest, IsRecognisedAndFillsTheSlotsWithUpstreamsWeights) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make("auto"));
  EXPECT_EQ(plan.layout, GetParam().recognised);
  EXPECT_TRUE(plan.unused.empty());
  ASSERT_EQ(plan.sources.size(), tree_.slots.size());
  size_t compared = 0;
  for (size_t i = 0; i < tree_.slots.size(); ++i) {
    const Slot& slot = tree_.slots[i];
    if (plan.sources[i].constant() != nullptr) {
      EXPECT_EQ(slot.name, "mask_token");
      continue;
    }
    if (has_timm_registers() && (slot.name == "cls_token" || slot.name == "pos_embed")) continue;
    EXPECT_TRUE(SameBits(Evaluated(plan.sources[i]), Seeded(slot.name, slot.shape))) << slot.name;
    ++compared;
  }
  EXPECT_GE(compared, tree_.slots.size() - 3);
}

// timm adds the position of the class token to it; a row of zeros for it gives the same sum.
TEST_P(LayoutsTest, TheClassTokenAndItsPositionAddUp) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make("auto"));
  std::vector<float> token, positions, wanted_token, wanted_positions;
  for (size_t i = 0; i < tree_.slots.size(); ++i) {
    const Slot& slot = tree_.slots[i];
    if (absl::EndsWith(slot.name, "cls_token")) {
      token = Evaluated(plan.sources[i]);
      wanted_token = Seeded(slot.name, slot.shape);
    } else if (absl::EndsWith(slot.name, "pos_embed")) {
      positions = Evaluated(plan.sources[i]);
      wanted_positions = Seeded(slot.name, slot.shape);
    }
  }
  ASSERT_FALSE(token.empty());
  ASSERT_EQ(positions.size(), wanted_positions.size());
  for (size_t i = 0; i < token.size(); ++i) EXPECT_EQ(token[i] + positions[i], wanted_token[i] + wanted_positions[i]);
  for (size_t i = token.size(); i < positions.size(); ++i) EXPECT_EQ(positions[i], wanted_positions[i]);
}

// Writes every second tensor of `checkpoint` to a safetensors file, the `part` 0 or 1, and returns its keys.
std::vector<std::string> WriteShard(const Checkpoint& checkpoint, size_t part, const std::string& path) {
  std::vector<std::string> keys, entries;
  std::string data;
  const std::vector<CheckpointTensor>& tensors = checkpoint.state_dicts()[0].tensors;
  for (size_t i = part; i < tensors.size(); i += 2) {
    const size_t begin = data.size();
    data += RowMajorBytes(checkpoint, tensors[i]);
    keys.push_back(tensors[i].key);
    entries.push_back(absl::StrCat("\"", keys.back(), R"(":{"dtype":"F32","shape":[)",
                                   absl::StrJoin(tensors[i].shape, ","), R"(],"data_offsets":[)", begin, ",",
                                   data.size(), "]}"));
  }
  std::ofstream(path, std::ios::binary) << SafetensorsFile(absl::StrCat("{", absl::StrJoin(entries, ","), "}"), data);
  return keys;
}

TEST_P(LayoutsTest, FillsTheSlotsFromShards) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make("auto"));
  ASSERT_OK_AND_ASSIGN(const Checkpoint whole, OpenCheckpoint(path_));
  std::vector<std::string> entries;
  for (const size_t part : {0, 1}) {
    const std::string name = absl::StrCat(GetParam().layout, "-", GetParam().model, "-", part, ".safetensors");
    for (const std::string& key : WriteShard(whole, part, absl::StrCat(testing::TempDir(), "/", name))) {
      entries.push_back(absl::StrCat("\"", key, "\":\"", name, "\""));
    }
  }
  path_ = absl::StrCat(testing::TempDir(), "/", GetParam().layout, "-", GetParam().model, ".index.json");
  std::ofstream(path_) << absl::StrCat(R"({"weight_map":{)", absl::StrJoin(entries, ","), "}}");
  ASSERT_OK_AND_ASSIGN(const Plan sharded, Make("auto"));
  EXPECT_EQ(sharded.layout, plan.layout);
  ASSERT_EQ(sharded.sources.size(), plan.sources.size());
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    EXPECT_TRUE(SameBits(Evaluated(sharded.sources[i]), Evaluated(plan.sources[i]))) << tree_.slots[i].name;
  }
}

TEST_P(LayoutsTest, CanBeNamed) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make(GetParam().layout));
  EXPECT_EQ(plan.layout, GetParam().layout);
}

TEST_P(LayoutsTest, InAnotherLayoutItIsRefused) {
  if (GetParam().layout == "timm") return;
  EXPECT_THAT(Make("original"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("marks absent")));
}

std::vector<File> Files() {
  std::vector<File> files;
  for (const Case& fields : ReadFamilyTables("layouts.txt")) {
    const std::string layout = Text(fields, "layout"), recognised = Text(fields, "recognised");
    files.push_back({layout, Text(fields, "model"), recognised.empty() ? layout : recognised});
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, LayoutsTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return absl::StrCat(info.param.layout, "_", info.param.model); });

}  // namespace
}  // namespace modelport
