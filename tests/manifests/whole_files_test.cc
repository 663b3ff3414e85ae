// Published files of transformers that hold a backbone and its head: their keys tell the models, and convert writes the
// same keys.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/digest/sha256.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/stored_layout.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/checked_plan.h"
#include "registry/registry.h"
#include "tests/manifests/key_list.h"

namespace modelport {
namespace {

using ::testing::ElementsAreArray;
using ::testing::StartsWith;

constexpr char kFolder[] = "keys/whole";

KeyList Read(const std::string& name) { return ReadKeyList(KeyLists(kFolder).at(name)); }

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, path] : KeyLists(kFolder)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

const Registry& EmbeddedRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {}).value());
  return *registry;
}

// "KEY DTYPE SHAPE" for each, sorted.
template <typename Keys, typename Describe>
std::vector<std::string> Lines(const Keys& keys, Describe describe) {
  std::vector<std::string> lines;
  for (const auto& key : keys) lines.push_back(describe(key));
  std::sort(lines.begin(), lines.end());
  return lines;
}

class WholeFilesTest : public testing::TestWithParam<std::string> {};

TEST_P(WholeFilesTest, TheKeysTellTheModels) {
  const KeyList file = Read(GetParam());
  const Checkpoint checkpoint = MakeHeaderCheckpoint("model.safetensors", file.keys);
  const std::vector<FittingVariant> fitting = FindFittingVariants(EmbeddedRegistry(), checkpoint, {});
  EXPECT_THAT(NamesOfFitting(fitting), ElementsAreArray(file.models));
  for (const FittingVariant& variant : fitting) {
    ASSERT_OK(variant.plan);
    EXPECT_EQ(variant.plan->layout, file.layout);
    for (const auto& [key, reason] : variant.plan->unused) {
      EXPECT_THAT(key, StartsWith("neck.fusion_stage.layers.0.residual_layer1."));
    }
  }
}

// What the first model of a list takes from such a file.
struct Mapped {
  const KeyMap& key_map;
  ModuleTree tree;
  Plan plan;
};

absl::StatusOr<Mapped> MapFirstModel(const KeyList& file) {
  const Checkpoint checkpoint = MakeHeaderCheckpoint("model.safetensors", file.keys);
  ASSIGN_OR_RETURN(const CatalogEntry entry, EmbeddedRegistry().Find(file.models[0]));
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  const KeyMap& key_map = entry.plugin->key_map;
  ASSIGN_OR_RETURN(Plan plan, MakePlan(checkpoint, key_map, tree, {}, file.models[0]));
  return Mapped{key_map, std::move(tree), std::move(plan)};
}

TEST_P(WholeFilesTest, ConvertWritesTheSameKeys) {
  const KeyList file = Read(GetParam());
  ASSERT_OK_AND_ASSIGN(const Mapped mapped, MapFirstModel(file));
  const auto& [key_map, tree, plan] = mapped;
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, StoreInLayout(plan, tree, *key_map.Find(file.layout)));
  std::vector<SeededKey> used = file.keys;
  for (const auto& [unused, reason] : plan.unused) {
    used.erase(std::find_if(used.begin(), used.end(), [&](const SeededKey& key) { return key.key == unused; }));
  }
  EXPECT_EQ(Lines(stored.tensors,
                  [](const StoredTensor& tensor) {
                    return absl::StrCat(tensor.key, " ", DTypeName(tensor.source.dtype()), " ",
                                        ShapeString(tensor.source.shape()));
                  }),
            Lines(used, [](const SeededKey& key) {
              return absl::StrCat(key.key, " ", DTypeName(key.dtype), " ", ShapeString(key.shape));
            }));
}

// "SLOT: KEY" of each slot, and "SLOT: OPERATION of KEY, KEY" of one that is computed.
std::string Pairs(const ModuleTree& tree, const Plan& plan) {
  std::string text;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    std::vector<std::string> keys;
    for (const SourceInput& input : plan.sources[i].inputs()) keys.push_back(input.tensor->key);
    const std::string operation = plan.sources[i].operation();
    absl::StrAppend(&text, tree.slots[i].name, ": ", operation, operation.empty() ? "" : " of ",
                    absl::StrJoin(keys, ", "), "\n");
  }
  return text;
}

// Two tensors of one shape may change places without another key or shape. Lists have the digest of the pairs with
// which the library's own model gave the outputs of the artifact, from a file of random numbers.
TEST_P(WholeFilesTest, EachSlotTakesTheTensorThatOutputsProved) {
  const KeyList file = Read(GetParam());
  if (file.pairs.empty()) GTEST_SKIP() << "outputs of such a file were not compared";
  ASSERT_OK_AND_ASSIGN(const Mapped mapped, MapFirstModel(file));
  const std::string pairs = Pairs(mapped.tree, mapped.plan);
  EXPECT_EQ(Sha256Of(pairs), file.pairs) << pairs;
}

INSTANTIATE_TEST_SUITE_P(All, WholeFilesTest, testing::ValuesIn(Names()), [](const auto& info) {
  return absl::StrReplaceAll(info.param, {{".", "_"}, {"-", "_"}});
});

// Each model of which such a file is published has a list, in both of transformers' layouts.
TEST(WholeFilesTest, EveryPublishedOneHasAList) {
  const std::vector<std::string> names = Names();
  for (const CatalogEntry& entry : EmbeddedRegistry().catalog()) {
    const std::string& file = entry.variant->whole.name;
    if (file.empty()) continue;
    const std::string name = file.substr(0, file.find('/'));
    EXPECT_THAT(names, testing::IsSupersetOf({name, name + ".v5_internal"}));
    EXPECT_THAT(Read(name).models, testing::ElementsAre(entry.variant->name));
  }
}

}  // namespace
}  // namespace modelport
