#include "registry/recognise/infer_models.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/expression/expression.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/keymap/stored_layout.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Arguments = std::map<std::string, std::string>;

class InferModelsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto registry = Registry::Load(BuiltInPlugins(), {});
    ASSERT_OK(registry);
    registry_ = std::make_unique<Registry>(*std::move(registry));
  }

  // The tree of `model` with other arguments.
  absl::StatusOr<ModuleTree> Tree(const std::string& model, const Arguments& changed) const {
    ASSIGN_OR_RETURN(const CatalogEntry entry, registry_->Find(model));
    const Call& own = entry.variant->module;
    ASSIGN_OR_RETURN(const Call call,
                     ParseCall(TextOfCall(entry.plugin->library->Find(own.type)->signature, own, changed)));
    return BuildModuleTree(entry.plugin->library, call);
  }

  // The keys and shapes that a published file of `model` would have with other arguments.
  std::vector<SeededKey> Keys(const std::string& model, const Arguments& changed) const {
    const absl::StatusOr<ModuleTree> tree = Tree(model, changed);
    EXPECT_OK(tree);
    return PublishedKeys(registry_->Find(model)->plugin->key_map, *tree);
  }

  std::vector<InferredModel> Infer(const std::vector<SeededKey>& keys) const {
    return InferModels(*registry_, MakeHeaderCheckpoint("own.pth", keys), {});
  }

  std::vector<std::string> Flags(const std::vector<SeededKey>& keys) const {
    std::vector<std::string> flags;
    for (const InferredModel& model : Infer(keys)) flags.push_back(FlagsOf(model));
    return flags;
  }

  std::unique_ptr<Registry> registry_;
};

TEST_F(InferModelsTest, KeysAndShapesTellTheArguments) {
  EXPECT_THAT(Flags(Keys("resnet18", {{"classes", "10"}})), ElementsAre("--model=resnet18 --set=classes=10"));
  EXPECT_THAT(Flags(Keys("resnet50_v1", {{"blocks", "[2, 1, 3, 1]"}, {"classes", "7"}, {"planes", "32"}})),
              testing::Contains("--model=resnet50_v1 --set='blocks=[2, 1, 3, 1],classes=7,planes=32'"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14", {{"grid", "16"}})), ElementsAre("--model=dinov2_vits14 --set=grid=16"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14", {{"grid", "14"}, {"patch", "16"}})),
              ElementsAre("--model=dinov2_vits14 --set=grid=14,patch=16"));
  EXPECT_THAT(Flags(Keys("resnet18", {{"classes", "0"}})), ElementsAre("--model=resnet18 --set=classes=0"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14", {{"dim", "192"}, {"depth", "5"}, {"heads", "3"}})),
              ElementsAre("--model=dinov2_vits14 --set=depth=5,dim=192,heads=3"));
  EXPECT_THAT(
      Flags(Keys("vitmatte_s_com", {{"dim", "192"}, {"heads", "3"}, {"rounds", "2"}, {"details", "[8, 16, 24]"}})),
      testing::Contains("--model=vitmatte_s_com --set='details=[8, 16, 24],dim=192,heads=3,rounds=2'"));
  EXPECT_THAT(Flags(Keys("da3_small", {{"dim", "192"},
                                       {"depth", "6"},
                                       {"heads", "3"},
                                       {"out_layers", "[2, 3, 4, 5]"},
                                       {"alt_start", "2"},
                                       {"features", "32"}})),
              ElementsAre("--model=da3_small --set='alt_start=2,depth=6,dim=192,features=32,heads=3,"
                          "out_layers=[2, 3, 4, 5]'"));
  EXPECT_THAT(Flags(Keys("da3mono_large", {{"c1", "64"}, {"grid", "16"}})),
              testing::Contains("--model=da3mono_large --set=c1=64,grid=16"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14_ld1_nyu", {{"grid", "16"}})),
              testing::Contains("--model=dinov2_vits14_ld1_nyu --set=grid=16"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14_dd_nyu", {{"depth", "8"}, {"out_index", "[1, 3, 5, 7]"}})),
              testing::Contains("--model=dinov2_vits14_dd_nyu --set='depth=8,out_index=[1, 3, 5, 7]'"));
  EXPECT_THAT(Flags(Keys("moge2_vits_normal", {{"widths", "[64, 32, 16, 8]"}, {"neck_blocks", "3"}})),
              ElementsAre("--model=moge2_vits_normal --set='neck_blocks=3,widths=[64, 32, 16, 8]'"));
}

TEST_F(InferModelsTest, ModelsOfTheSameKeysAndShapesAreAllNamed) {
  EXPECT_THAT(Flags(Keys("dav2_vits", {{"features", "32"}})),
              ElementsAre("--model=dav2_vits --set=features=32", "--model=dav1_vits --set=features=32",
                          "--model=dav2_metric_hypersim_vits --set=features=32",
                          "--model=dav2_metric_vkitti_vits --set=features=32"));
}

TEST_F(InferModelsTest, WhatKeysAndShapesDoNotTellIsAssumed) {
  const std::vector<InferredModel> models = Infer(Keys("resnet18", {{"classes", "10"}}));
  ASSERT_EQ(models.size(), 1);
  EXPECT_EQ(ArgumentsText(models[0].assumed), "resize_size=256");
}

TEST_F(InferModelsTest, WithResampleATableOfPositionsTellsNothing) {
  const Checkpoint checkpoint =
      MakeHeaderCheckpoint("own.pth", Keys("dinov2_vits14_lc1", {{"classes", "5"}, {"grid", "16"}}));
  const std::vector<InferredModel> models = InferModels(*registry_, checkpoint, {.resample = true});
  ASSERT_EQ(models.size(), 1);
  EXPECT_EQ(ArgumentsText(models[0].arguments), "classes=5");
}

// A depth model with a key too many is not its backbone, and a backbone with a head of one's own is.
TEST_F(InferModelsTest, APartIsTakenUnlessTheWholeIsLikeAnotherModel) {
  const auto fitting = [&](const std::vector<SeededKey>& keys) {
    return NamesOfFitting(FindFits(*registry_, MakeHeaderCheckpoint("own.pth", keys), {}).variants);
  };
  std::vector<SeededKey> keys = Keys("dav2_vits", {});
  keys.push_back({"freqs", {4}, DType::kFloat32});
  EXPECT_THAT(fitting(keys), IsEmpty());
  std::erase_if(keys, [](const SeededKey& key) { return key.key.find("pretrained.") != 0; });
  for (const char* own : {"classes.weight", "classes.bias"}) keys.push_back({own, {4}, DType::kFloat32});
  EXPECT_THAT(fitting(keys), ElementsAre("dinov2_vits14"));
}

// As torchvision's training writes them: {"model": ..., "model_ema": {"n_averaged": ..., "module.*": ...}}.
TEST_F(InferModelsTest, AveragedWeightsBesideTheLastOnesAreRecognised) {
  const auto find = [&](const Arguments& changed) {
    std::vector<StateDict> dicts = {{"model", {}, {}}, {"model_ema", {}, {}}};
    dicts[1].tensors.push_back({"n_averaged", DType::kInt64, {}, {}, 2, 0});
    for (const SeededKey& key : Keys("resnet18", changed)) {
      const std::vector<int64_t> strides = RowMajorStrides(key.shape);
      dicts[0].tensors.push_back({key.key, key.dtype, key.shape, strides, 0, 0});
      dicts[1].tensors.push_back({"module." + key.key, key.dtype, key.shape, strides, 1, 0});
    }
    return FindFits(*registry_, MakeHeaderCheckpoint("own.pth", std::move(dicts)), {});
  };
  const Fits own = find({{"classes", "10"}});
  EXPECT_THAT(own.variants, IsEmpty());
  ASSERT_EQ(own.inferred.size(), 1);
  EXPECT_EQ(FlagsOf(own.inferred[0]), "--model=resnet18 --set=classes=10");
  const Fits catalogs = find({});
  EXPECT_THAT(NamesOfFitting(catalogs.variants), ElementsAre("resnet18"));
  EXPECT_THAT(catalogs.inferred, IsEmpty());
  ASSERT_OK(catalogs.variants.front().plan);
  EXPECT_EQ(catalogs.variants.front().plan->state_dict, "model_ema.module");
  EXPECT_EQ(catalogs.variants.front().others, 0);
}

TEST_F(InferModelsTest, EachArgumentHasItsOrigin) {
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry_->Find("dav2_metric_hypersim_vits"));
  const Call& own = entry.variant->module;
  const Arguments changed = {{"grid", "16"}, {"heads", "3"}, {"max_depth", "35.0"}};
  ASSERT_OK_AND_ASSIGN(const Call call,
                       ParseCall(TextOfCall(entry.plugin->library->Find(own.type)->signature, own, changed)));
  std::map<std::string, std::string> origins;
  for (const auto& [name, value, origin] : OriginsOf(*entry.plugin, call, changed)) {
    origins[name] = absl::StrCat(value, " ", OriginName(origin));
  }
  EXPECT_EQ(origins["grid"], "16 read");
  EXPECT_EQ(origins["dim"], "384 read");
  EXPECT_EQ(origins["max_depth"], "35.0 given");
  // The rule of heads gives 6.
  EXPECT_EQ(origins["heads"], "3 given");
  EXPECT_EQ(origins["taps"], "[2, 5, 8, 11] assumed");
}

// The whole of a model that is published in two files.
TEST_F(InferModelsTest, AClassifierOfOwnClassesIsAWholeFile) {
  EXPECT_THAT(Flags(Keys("dinov2_vits14_lc1", {{"classes", "5"}})),
              ElementsAre("--model=dinov2_vits14_lc1 --set=classes=5"));
  EXPECT_THAT(Flags(Keys("dinov2_vits14_lc4", {{"classes", "5"}, {"grid", "16"}})),
              ElementsAre("--model=dinov2_vits14_lc4 --set=classes=5,grid=16"));
}

TEST_F(InferModelsTest, AnAssumptionMayDifferBetweenVariantsOfOneShape) {
  const std::vector<std::string> flags = Flags(Keys("dav1_vits", {{"depth", "8"}, {"taps", "[4, 5, 6, 7]"}}));
  EXPECT_THAT(flags, testing::IsSupersetOf({"--model=dav2_vits --set='depth=8,taps=[1, 3, 5, 7]'",
                                            "--model=dav1_vits --set='depth=8,taps=[4, 5, 6, 7]'"}));
}

// Heads of 64 channels do not make a width of 48, and six blocks have no quarters.
TEST_F(InferModelsTest, WhatARuleHasNoValueForIsAsked) {
  EXPECT_THAT(Flags(Keys("dinov2_vits14", {{"dim", "48"}})),
              ElementsAre("--model=dinov2_vits14 --set=dim=48,heads=HEADS"));
  const std::vector<InferredModel> models =
      Infer(Keys("moge2_vitl_normal", {{"dim", "96"}, {"depth", "6"}, {"taps", "[0, 2, 4, 5]"}}));
  ASSERT_FALSE(models.empty());
  EXPECT_THAT(models[0].asked, ElementsAre("heads", "taps"));
  EXPECT_EQ(models[0].assumed.count("heads") + models[0].assumed.count("taps"), 0);
}

TEST_F(InferModelsTest, TheKindOfBlockIsRead) {
  const std::vector<SeededKey> keys = Keys("resnet50", {{"blocks", "[1, 1, 1, 1]"}, {"classes", "3"}});
  for (const InferredModel& model : Infer(keys)) EXPECT_EQ(ValueString(model.all.find("block")->second), "Bottleneck");
  EXPECT_THAT(Flags(keys), testing::Contains("--model=resnet50 --set='blocks=[1, 1, 1, 1],classes=3'"));
}

// Depth and layers that are read: a quarter, a half, three quarters and all of the blocks.
TEST_F(InferModelsTest, AnAssumptionFollowsWhatTheFileTells) {
  const Arguments own = {{"depth", "8"}, {"taps", "[1, 3, 5, 7]"}};
  const std::vector<InferredModel> models = Infer(Keys("dav2_vits", own));
  ASSERT_FALSE(models.empty());
  EXPECT_EQ(models[0].arguments, own);
}

TEST_F(InferModelsTest, AnyLayoutIsRead) {
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry_->Find("dinov2_vits14"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, Tree("dinov2_vits14", {{"grid", "16"}, {"depth", "3"}}));
  const Checkpoint original = MakeHeaderCheckpoint("own.pth", PublishedKeys(entry.plugin->key_map, tree));
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(original, entry.plugin->key_map, tree, {}, "own"));
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored,
                       StoreInLayout(plan, tree, *entry.plugin->key_map.Find("transformers")));
  std::vector<SeededKey> keys;
  for (const StoredTensor& tensor : stored.tensors) {
    keys.push_back({tensor.key, tensor.source.shape(), tensor.source.dtype()});
  }
  EXPECT_THAT(Flags(keys), ElementsAre("--model=dinov2_vits14 --set=depth=3,grid=16"));
}

// The goldens of each small test model were made by upstream's own class with the model's arguments. A file of it that
// has no name tells the same arguments, but for those that are assumed and said.
TEST_F(InferModelsTest, TheFileOfEachTestModelTellsTheArgumentsOfUpstreamsClass) {
  ASSERT_OK_AND_ASSIGN(const Registry with_test_models, Registry::Load(BuiltInPlugins(), {"models"}));
  std::map<std::string, int> told;  // By the type of the root.
  for (const CatalogEntry& entry : with_test_models.catalog()) {
    if (!absl::EndsWith(entry.plugin->path, "/testdata")) continue;
    const Call& own = entry.variant->module;
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, own));
    ASSERT_OK_AND_ASSIGN(const Scope wanted,
                         BindArguments(entry.plugin->library->Find(own.type)->signature, own, Scope()));
    const std::vector<SeededKey> keys = PublishedKeys(entry.plugin->key_map, tree);
    // The files of a model of several may have no layout for the whole.
    const KeyPattern& mark = entry.plugin->key_map.Find("original")->recognise.front();
    const bool is_whole =
        std::any_of(keys.begin(), keys.end(), [&](const SeededKey& key) { return mark.Matches(key.key); });
    if (entry.variant->files.size() > 1 && !is_whole) continue;
    for (const InferredModel& model : Infer(keys)) {
      if (model.module.type != own.type) continue;
      ++told[own.type];
      for (const auto& [name, value] : wanted) {
        const auto found = model.all.find(name);
        ASSERT_NE(found, model.all.end()) << entry.variant->name << ": " << name;
        const bool is_asked = std::count(model.asked.begin(), model.asked.end(), name) > 0;
        EXPECT_TRUE(found->second == value || model.assumed.count(name) > 0 || is_asked)
            << entry.variant->name << ", from " << FlagsOf(model) << ": " << name << " is " << ValueString(value)
            << ", and not " << ValueString(found->second);
      }
    }
    EXPECT_GT(told[own.type], 0) << entry.variant->name;
  }
  EXPECT_GE(told.size(), 8);
}

TEST_F(InferModelsTest, WhatFitsAsItIsOrInNoWayIsNotInferred) {
  EXPECT_THAT(Infer(Keys("resnet18", {})), IsEmpty());
  std::vector<SeededKey> keys = Keys("resnet18", {{"classes", "10"}});
  keys.push_back({"extra.weight", {3}, DType::kFloat32});
  EXPECT_THAT(Infer(keys), IsEmpty());
  keys.pop_back();
  keys.front().shape.back() += 1;
  EXPECT_THAT(Infer(keys), IsEmpty());
}

}  // namespace
}  // namespace modelport
