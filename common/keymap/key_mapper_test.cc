#include "common/keymap/key_mapper.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr auto kUnfit = absl::StatusCode::kFailedPrecondition;

constexpr char kModules[] = R"yaml(modules:
  Block(dim): {parameters: {weight: [dim, dim], bias: [dim]}}
  Net(depth):
    parameters: {cls_token: [1, 4], mask_token: [4]}
    children:
      blocks: [{repeat: depth, module: Block(4)}]
)yaml";

constexpr char kKeyMap[] = R"yaml(layouts:
  original:
    recognise: [cls_token, "blocks.{block}.weight"]
    unwrap: [model, state_dict, teacher]
    strip: [module., backbone.]
    missing:
      - {key: mask_token, reason: dropped by converters}
    unused:
      - {key: "old_head.{rest*}", reason: training only}
  chunked:
    recognise: [cls_token, "blocks.{chunk}.{block}.weight"]
    unwrap: [teacher]
    strip: [backbone.]
    renames:
      - {from: "blocks.{chunk}.{block}.{rest*}", to: "blocks.{block}.{rest*}"}
      - {from: "class.{rest*}", to: "cls.{rest*}"}
)yaml";

using Keys = std::vector<std::pair<std::string, Shape>>;

Keys NetKeys() {
  return {{"cls_token", {1, 4}},  {"mask_token", {4}},         {"blocks.0.weight", {4, 4}},
          {"blocks.0.bias", {4}}, {"blocks.1.weight", {4, 4}}, {"blocks.1.bias", {4}}};
}

Keys Prefixed(const std::string& prefix, Keys keys) {
  for (auto& [key, shape] : keys) key = prefix + key;
  return keys;
}

Keys Without(const std::string& key, Keys keys) {
  std::erase_if(keys, [&](const auto& k) { return k.first == key; });
  return keys;
}

Keys With(std::string key, Shape shape, Keys keys) {
  keys.emplace_back(std::move(key), std::move(shape));
  return keys;
}

StateDict Dict(const std::string& path, const Keys& keys, DType dtype = DType::kFloat32) {
  StateDict dict{path, {}, {}};
  for (const auto& [key, shape] : keys) dict.tensors.push_back({key, dtype, shape, RowMajorStrides(shape), 0, 0});
  return dict;
}

// The same in another storage.
StateDict OtherDict(const std::string& path, const Keys& keys) {
  StateDict dict = Dict(path, keys);
  for (CheckpointTensor& tensor : dict.tensors) tensor.storage = 1;
  return dict;
}

class KeyMapperTest : public testing::Test {
 protected:
  void SetUp() override {
    auto library = std::make_shared<ModuleLibrary>();
    ASSERT_OK(library->AddFile({"m.yaml", kModules}));
    ASSERT_OK_AND_ASSIGN(const Call call, ParseCall("Net(2)"));
    ASSERT_OK_AND_ASSIGN(tree_, BuildModuleTree(library, call));
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", kKeyMap}));
  }

  absl::StatusOr<Plan> Make(std::vector<StateDict> dicts, const SourceChoice& choice = {},
                            std::vector<LooseTensors> loose = {}) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", std::move(dicts), std::move(loose)));
    return MakePlan(*checkpoint_, key_map_, tree_, choice, "net");
  }

  bool Fits() const {
    const absl::StatusOr<KeyMapper> mapper = KeyMapper::Make(*checkpoint_, key_map_, {});
    return mapper.ok() && mapper->Fits(tree_);
  }

  void KeepOnlyOriginal() { key_map_.layouts.resize(1); }

  KeyMap key_map_;
  ModuleTree tree_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

// The tensor that `source` takes, null for zeros.
const CheckpointTensor* Taken(const SlotSource& source) {
  return source.constant() != nullptr ? nullptr : source.inputs()[0].tensor;
}

std::vector<std::string> TakenKeys(const Plan& plan) {
  std::vector<std::string> keys;
  for (const SlotSource& source : plan.sources) keys.push_back(Taken(source) ? Taken(source)->key : "zeros");
  return keys;
}

TEST_F(KeyMapperTest, FillsEverySlotWhateverTheOrderInTheFile) {
  Keys keys = NetKeys();
  std::swap(keys[0], keys[5]);
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", keys)}));
  EXPECT_EQ(plan.layout, "original");
  EXPECT_EQ(plan.state_dict, "");
  EXPECT_THAT(TakenKeys(plan), ElementsAre("cls_token", "mask_token", "blocks.0.weight", "blocks.0.bias",
                                           "blocks.1.weight", "blocks.1.bias"));
  EXPECT_THAT(plan.unused, IsEmpty());
}

TEST_F(KeyMapperTest, PrefixesAreStrippedInAnyOrder) {
  for (const std::string prefix : {"module.", "backbone.", "module.backbone.", "backbone.module.module."}) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", Prefixed(prefix, NetKeys()))}));
    EXPECT_EQ(Taken(plan.sources[0])->key, prefix + "cls_token");
  }
}

TEST_F(KeyMapperTest, ADroppedMaskTokenBecomesZerosWithAReason) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", Without("mask_token", NetKeys()))}));
  ASSERT_NE(plan.sources[1].constant(), nullptr);
  EXPECT_EQ(plan.sources[1].constant()->reason, "dropped by converters");
  EXPECT_EQ(plan.sources[1].shape(), Shape({4}));
}

TEST_F(KeyMapperTest, SharedSlotsTakeTheStoredTensorOrTheirOwn) {
  KeepOnlyOriginal();
  ASSERT_OK_AND_ASSIGN(const KeyMap aliases, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: [cls_token]
    aliases: [{slot: "blocks.{i}.bias", key: blocks.0.bias}]
)yaml"}));
  key_map_ = aliases;
  const Keys published = Without("blocks.1.bias", NetKeys());
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", published)}));
  EXPECT_THAT(TakenKeys(plan), ElementsAre("cls_token", "mask_token", "blocks.0.weight", "blocks.0.bias",
                                           "blocks.1.weight", "blocks.0.bias"));
  EXPECT_THAT(plan.aliases, ElementsAre(Pair("blocks.1.bias", "blocks.0.bias")));

  ASSERT_OK_AND_ASSIGN(const Plan complete, Make({Dict("", NetKeys())}));
  EXPECT_EQ(TakenKeys(complete).back(), "blocks.1.bias");
  EXPECT_THAT(complete.aliases, IsEmpty());

  EXPECT_THAT(Make({Dict("", Without("blocks.0.bias", published))}),
              StatusIs(kUnfit, HasSubstr("missing: blocks.0.bias [4]")));
  EXPECT_THAT(PublishedKeys(key_map_, tree_), testing::SizeIs(published.size()));
}

TEST_F(KeyMapperTest, TheTeacherIsTakenAndNotTheStudent) {
  const Keys keys = Prefixed("module.backbone.", NetKeys());
  ASSERT_OK_AND_ASSIGN(const Plan plan,
                       Make({Dict("student", keys), Dict("teacher", With("old_head.0.weight", {9}, keys))}));
  EXPECT_EQ(plan.state_dict, "teacher");
  EXPECT_EQ(Taken(plan.sources[0]), &checkpoint_->state_dicts()[1].tensors[0]);
  EXPECT_THAT(plan.unused, ElementsAre(Pair("old_head.0.weight", "training only")));
}

TEST_F(KeyMapperTest, UnwrapsInOrderOfPreferenceAndNested) {
  ASSERT_OK_AND_ASSIGN(const Plan first, Make({Dict("teacher", NetKeys()), Dict("model", NetKeys())}));
  EXPECT_EQ(first.state_dict, "model");
  ASSERT_OK_AND_ASSIGN(const Plan nested, Make({Dict("model.state_dict", NetKeys()), Dict("optimizer", {{"x", {1}}})}));
  EXPECT_EQ(nested.state_dict, "model.state_dict");
  ASSERT_OK_AND_ASSIGN(const Plan root, Make({Dict("", NetKeys()), Dict("model", NetKeys())}));
  EXPECT_EQ(root.state_dict, "");
}

TEST_F(KeyMapperTest, TwoDictionariesThatFitAndDifferAreAnError) {
  EXPECT_THAT(Make({Dict("", NetKeys()), OtherDict("model", NetKeys())}),
              StatusIs(kUnfit,
                       "net.pth: two dictionaries fit net and differ\n"
                       "  the file's root: 6 tensors; --state_dict=. takes it\n"
                       "  dictionary model: 6 tensors; --state_dict=model takes it"));
  EXPECT_TRUE(Fits());
  for (const std::string path : {"", "model"}) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", NetKeys()), OtherDict("model", NetKeys())}, {"auto", path}));
    EXPECT_EQ(plan.state_dict, path);
    EXPECT_EQ(Taken(plan.sources[0])->storage, path.empty() ? 0 : 1);
    ASSERT_EQ(plan.left_out.size(), 1);
    EXPECT_EQ(plan.left_out[0].tensors, 6);
  }
}

// As torchvision's training writes them, with n_averaged beside the averaged ones.
TEST_F(KeyMapperTest, DictionariesBehindAPrefixAreDictionariesLikeOthers) {
  StateDict averaged = OtherDict("model_ema", Prefixed("net.", NetKeys()));
  averaged.tensors.push_back({"n_averaged", DType::kInt64, {}, {}, 0, 0});
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("best", NetKeys()), averaged}));
  EXPECT_EQ(plan.state_dict, "model_ema.net");
  EXPECT_THAT(Make({Dict("best", NetKeys()), OtherDict("last", Prefixed("net.", NetKeys()))}),
              StatusIs(kUnfit, HasSubstr("two dictionaries fit net and differ\n  dictionary best: 6 tensors; "
                                         "--state_dict=best takes it\n  dictionary last.net: 6 tensors; "
                                         "--state_dict=last.net takes it")));
}

TEST_F(KeyMapperTest, AveragedWeightsThatAreAlsoStoredElsewhereStayAveraged) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("model", NetKeys()), OtherDict("best", NetKeys()),
                                              OtherDict("model_ema", Prefixed("net.", NetKeys()))}));
  EXPECT_EQ(plan.state_dict, "model_ema.net");
}

TEST_F(KeyMapperTest, OneDictionaryOfTwoNamesIsTakenByTheNameThatIsUnwrapped) {
  StateDict dict = Dict("best", NetKeys());
  dict.also = {"other", "teacher", "model"};
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({dict}));
  EXPECT_EQ(plan.state_dict, "model");
  EXPECT_THAT(plan.left_out, IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Plan chosen, Make({dict}, {"auto", "other"}));
  EXPECT_EQ(chosen.state_dict, "other");
}

TEST_F(KeyMapperTest, OfTwoDictionariesTheOneThatFitsIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Plan plan,
                       Make({Dict("model", With("fc.weight", {7, 4}, NetKeys())), OtherDict("teacher", NetKeys())}));
  EXPECT_EQ(plan.state_dict, "teacher");
  ASSERT_EQ(plan.left_out.size(), 1);
  EXPECT_EQ(plan.left_out[0].path, "model");
  EXPECT_EQ(plan.left_out[0].tensors, 7);
  EXPECT_TRUE(Fits());
}

TEST_F(KeyMapperTest, AnyDictionaryCanBeChosen) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("a.ema", NetKeys()), Dict("b", {{"x", {1}}})}, {"auto", "a.ema"}));
  EXPECT_EQ(plan.state_dict, "a.ema");
  EXPECT_THAT(Make({Dict("teacher", NetKeys())}, {"auto", "techer"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "net.pth: no dictionary \"techer\" holds tensors; nearest: teacher"));
}

TEST_F(KeyMapperTest, AnyDictionaryIsTakenThatFits) {
  for (const char* path : {"model.model.model.model", "model.model.model.model.model", "module", "best.weights"}) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("optimizer.state.0", {{"exp_avg", {1}}}), Dict(path, NetKeys())}));
    EXPECT_EQ(plan.state_dict, path);
  }
  // What the layout unwraps goes before all others.
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("best", NetKeys()), Dict("model", NetKeys())}));
  EXPECT_EQ(plan.state_dict, "model");
  EXPECT_THAT(Make({Dict("best", NetKeys()), OtherDict("last", NetKeys())}),
              StatusIs(kUnfit, HasSubstr("two dictionaries fit net and differ\n  dictionary best: 6 tensors; "
                                         "--state_dict=best takes it\n  dictionary last: 6 tensors; ")));
}

TEST_F(KeyMapperTest, AveragedWeightsGoBeforeTheLastOnes) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("params", NetKeys()), OtherDict("params_ema", NetKeys())}));
  EXPECT_EQ(plan.state_dict, "params_ema");
  ASSERT_EQ(plan.left_out.size(), 1);
  EXPECT_EQ(plan.left_out[0].path, "params");
  ASSERT_OK_AND_ASSIGN(const Plan chosen,
                       Make({Dict("params", NetKeys()), OtherDict("params_ema", NetKeys())}, {"auto", "params"}));
  EXPECT_EQ(chosen.state_dict, "params");
}

// The names that spandrel unwraps, none of which the key map lists: those of this file are found by their keys.
TEST_F(KeyMapperTest, WhatOtherLoadersUnwrapIsFound) {
  key_map_.layouts[0].unwrap.clear();
  for (const char* name : {"model_state_dict", "state_dict", "params_ema", "params-ema", "params", "model", "net"}) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("optimizer", {{"0", {4}}}), Dict(name, NetKeys())}));
    EXPECT_EQ(plan.state_dict, name);
  }
  for (const char* averaged : {"params_ema", "params-ema"}) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("params", NetKeys()), OtherDict(averaged, NetKeys())}));
    EXPECT_EQ(plan.state_dict, averaged);
  }
  ASSERT_OK_AND_ASSIGN(const Plan behind, Make({Dict("", Prefixed("netG.", NetKeys()))}));
  EXPECT_EQ(behind.state_dict, "netG");
}

TEST_F(KeyMapperTest, HugeKeysAndManyOfThemAreShownInBrief) {
  Keys keys = Without("cls_token", NetKeys());
  keys.emplace_back("cls_token" + std::string(1 << 20, 'x'), Shape{1, 4});
  for (int i = 0; i < 300'000; ++i) keys.emplace_back(absl::StrCat("cls_token_", i), Shape{1, 4});
  const absl::StatusOr<Plan> plan = Make({Dict("", keys)}, {"original"});
  EXPECT_THAT(plan, StatusIs(kUnfit, HasSubstr("300001 unexpected")));
  EXPECT_LT(plan.status().message().size(), 5000);
  EXPECT_FALSE(Fits());
}

TEST_F(KeyMapperTest, TheDictionaryThatIsRecognisedIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("", {{"epoch", {}}}), Dict("teacher", NetKeys())}));
  EXPECT_EQ(plan.state_dict, "teacher");
}

TEST_F(KeyMapperTest, EveryFloatingDTypeFillsASlot) {
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    EXPECT_OK(Make({Dict("", NetKeys(), dtype)}));
  }
}

Keys ChunkedKeys() {
  return {{"backbone.cls_token", {1, 4}},         {"backbone.mask_token", {4}},
          {"backbone.blocks.0.0.weight", {4, 4}}, {"backbone.blocks.0.0.bias", {4}},
          {"backbone.blocks.1.1.weight", {4, 4}}, {"backbone.blocks.1.1.bias", {4}}};
}

TEST_F(KeyMapperTest, RenamesKeys) {
  key_map_.layouts[1].renames.pop_back();
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make({Dict("teacher", ChunkedKeys())}));
  EXPECT_EQ(plan.layout, "chunked");
  EXPECT_EQ(Taken(plan.sources[4])->key, "backbone.blocks.1.1.weight");
}

TEST_F(KeyMapperTest, ARuleThatMatchesNothingIsAnError) {
  EXPECT_THAT(Make({Dict("teacher", ChunkedKeys())}),
              StatusIs(kUnfit,
                       "net.pth: does not fit net (layout chunked in dictionary teacher): "
                       "1 of 2 rules match nothing\n"
                       "  idle rule: keymap.yaml:16:9: class.{rest*} -> cls.{rest*}"));
}

TEST_F(KeyMapperTest, TwoKeysThatGetTheSameNameAreAnError) {
  EXPECT_THAT(Make({Dict("", With("backbone.cls_token", {1, 4}, NetKeys()))}),
              StatusIs(kUnfit,
                       "net.pth: does not fit net (layout original): 1 given twice\n"
                       "  twice: cls_token is both cls_token and backbone.cls_token"));
}

TEST_F(KeyMapperTest, EveryProblemIsInOneReport) {
  Keys keys = Without("blocks.0.bias", Without("blocks.1.bias", NetKeys()));
  keys = With("blocks.1.biass", {4}, With("fc.weight", {7, 4}, keys));
  keys[2].second = {2, 8};
  StateDict dict = Dict("", keys);
  dict.tensors[0].dtype = DType::kInt64;
  EXPECT_THAT(Make({dict}), StatusIs(kUnfit, R"(net.pth: does not fit net (layout original): )"
                                             R"(2 of 6 keys missing, 2 unexpected, 1 of wrong shape, 1 of wrong dtype
  missing: blocks.0.bias [4]; nearest in the file: blocks.1.biass
  missing: blocks.1.bias [4]; nearest in the file: blocks.1.biass
  unexpected: fc.weight [7, 4]
  unexpected: blocks.1.biass [4]; nearest in the model: blocks.1.bias, blocks.0.bias
  wrong shape: blocks.0.weight wants [4, 4], has [2, 8]
  wrong dtype: cls_token wants a floating dtype, has int64)"));
}

TEST_F(KeyMapperTest, AnEntryThatIsNotReadIsRefusedInItsDictionary) {
  const LooseTensors mask = {"model.mask", "a sparse tensor", 1, 0, "mask"};
  const std::vector<StateDict> dicts = {Dict("model", NetKeys())};
  EXPECT_THAT(Make(dicts, {}, {mask}), StatusIs(kUnfit, R"(net.pth: does not fit net (layout original in dictionary )"
                                                        R"(model): 1 of a kind that is not read
  not read: mask, a sparse tensor
  tensors of the ordinary kind, as torch.save writes them, are read: save tensor.to_dense() of a sparse one, )"
                                                        "tensor.dequantize() of a quantised one"));
  EXPECT_FALSE(Fits());
  // One that the layout leaves unused, of another dictionary, of one below, and what is no entry at all.
  EXPECT_OK(Make(dicts, {}, {{"model.old_head.weight", "a sparse tensor", 1, 0, "old_head.weight"}}));
  EXPECT_OK(Make(dicts, {}, {{"optimizer.mask", "a sparse tensor", 1, 0, "mask"}}));
  EXPECT_OK(Make(dicts, {}, {{"model.deeper.mask", "a sparse tensor", 1, 0, "mask"}}));
  EXPECT_OK(Make(dicts, {}, {{"model.masks", "a list", 3, 9}}));
  // Of a part that a prefix tells, the same.
  const std::vector<StateDict> wrapped = {Dict("", Prefixed("net.", NetKeys()))};
  EXPECT_THAT(Make(wrapped, {}, {{"net.mask", "a sparse tensor", 1, 0, "net.mask"}}),
              StatusIs(kUnfit, HasSubstr("not read: net.mask, a sparse tensor")));
  EXPECT_OK(Make(wrapped, {}, {{"loss.mask", "a sparse tensor", 1, 0, "loss.mask"}}));
}

TEST_F(KeyMapperTest, ALongGroupIsCutAfterFive) {
  Keys keys = NetKeys();
  for (int i = 0; i < 8; ++i) keys.emplace_back(absl::StrCat("extra.", i), Shape{1});
  EXPECT_THAT(Make({Dict("", keys)}), StatusIs(kUnfit, R"(net.pth: does not fit net (layout original): 8 unexpected
  unexpected: extra.0 [1]
  unexpected: extra.1 [1]
  unexpected: extra.2 [1]
  unexpected: extra.3 [1]
  unexpected: extra.4 [1]
  +3 more unexpected)"));
}

TEST_F(KeyMapperTest, TheSameElementCountInAnotherShapeIsAnError) {
  Keys keys = NetKeys();
  keys[0].second = {4, 1};
  EXPECT_THAT(Make({Dict("", keys)}), StatusIs(kUnfit, HasSubstr("cls_token wants [1, 4], has [4, 1]")));
}

TEST_F(KeyMapperTest, NoLayoutRecognisedSaysWhatEachWantsAndWhatTheFileHolds) {
  const Keys other = {{"a", {1}}, {"b", {1}}, {"c", {1}}, {"d", {1}}, {"e", {1}}, {"f", {1}}};
  EXPECT_THAT(Make({Dict("", {{"conv1.weight", {1}}, {"fc.weight", {1}}}), Dict("best", other)}),
              StatusIs(kUnfit, R"(net.pth: does not fit net: no layout is recognised
  layout original: no key in the file's root matches cls_token, blocks.{block}.weight
  layout chunked: no key in the file's root matches cls_token, blocks.{chunk}.{block}.weight
  the file's root holds conv1.weight, fc.weight
  dictionary best holds a, b, c, d, e, +1 more
  --layout=NAME compares with that layout in full
  --state_dict=PATH compares with that dictionary)"));
}

TEST_F(KeyMapperTest, AnAdapterIsNamed) {
  EXPECT_THAT(
      Make({Dict("", {{"base_model.model.blocks.0.lora_A.weight", {2, 4}}})}),
      StatusIs(kUnfit, HasSubstr("\n  it holds a LoRA adapter, base_model.model.blocks.0.lora_A.weight, and not "
                                 "the model: merge it into the model with merge_and_unload() of peft")));
  EXPECT_THAT(Make({Dict("", With("blocks.0.lora_A.weight", {2, 4}, NetKeys()))}),
              StatusIs(kUnfit, HasSubstr("\n  it holds a LoRA adapter, blocks.0.lora_A.weight")));
}

TEST_F(KeyMapperTest, WhereNoLayoutIsRecognisedTensorsThatAreNotReadAreNamed) {
  const std::vector<LooseTensors> loose = {{"cls_token", "a quantised tensor", 1, 0, "cls_token"},
                                           {"fc._packed_params._packed_params", "a tuple", 2, 15},
                                           {"optimizer.rng", "a list", 1, 9}};
  EXPECT_THAT(
      Make({Dict("", {{"fc.scale", {}}})}, {}, loose),
      StatusIs(kUnfit,
               HasSubstr("\n  the file's root holds fc.scale\n  not read: cls_token (a quantised "
                         "tensor), fc._packed_params._packed_params (a tuple)\n  tensors of the ordinary kind")));
}

TEST_F(KeyMapperTest, AShardIsNamed) {
  const auto hint = [](const std::string& path) {
    return FileHint(MakeHeaderCheckpoint(path, std::vector<SeededKey>()));
  };
  EXPECT_EQ(hint("a-00001-of-00002/model-00002-of-00003.safetensors"),
            "\n  its name says that it is one of 3 files of a checkpoint: pass model.safetensors.index.json, which is "
            "published beside them");
  for (const char* whole :
       {"model.safetensors", "model-00001-of-00001.safetensors", "best-of-00002.pth", "-of-.pth", "epoch-1-of-3.pth",
        "a-00001-of-00002/model.pth", "model-00001-of-3", "a-00001-of-", "x--0001-of-+0003.pt"}) {
    EXPECT_EQ(hint(whole), "") << whole;
  }
}

TEST_F(KeyMapperTest, ANamedLayoutIsComparedEvenIfNotRecognised) {
  EXPECT_THAT(Make({Dict("", Without("cls_token", NetKeys()))}, {"original"}),
              StatusIs(kUnfit, R"(net.pth: does not fit net (layout original): 1 of 2 marks absent, 1 of 6 keys missing
  absent mark: no key matches cls_token
  missing: cls_token [1, 4])"));
}

TEST_F(KeyMapperTest, TheOnlyLayoutIsComparedInTheDictionaryThatFillsMost) {
  KeepOnlyOriginal();
  EXPECT_THAT(Make({Dict("", {{"x", {1}}}), Dict("teacher", Without("cls_token", NetKeys()))}),
              StatusIs(kUnfit, HasSubstr("(layout original in dictionary teacher): 1 of 2 marks absent, "
                                         "1 of 6 keys missing")));
}

TEST_F(KeyMapperTest, AFileWithoutADictionaryToReadSaysWhatItLooksFor) {
  KeepOnlyOriginal();
  EXPECT_THAT(Make({Dict("other", {{"x", {1}}})}),
              StatusIs(kUnfit, R"(net.pth: does not fit net: no layout is recognised
  layout original: no dictionary has keys like cls_token, blocks.{block}.weight
  dictionary other holds x
  --state_dict=PATH compares with that dictionary)"));
}

TEST_F(KeyMapperTest, IfNoneOfTwoRecognisedLayoutsFitsTheOneThatFillsMoreSlotsIsCompared) {
  const Keys both = With("blocks.0.0.weight", {4, 4}, NetKeys());
  EXPECT_THAT(Make({Dict("", both)}),
              StatusIs(kUnfit, AllOf(HasSubstr("does not fit net (layout original): 1 unexpected"),
                                     HasSubstr("unexpected: blocks.0.0.weight"))));
  EXPECT_THAT(Make({Dict("", both)}, {"chunked"}), StatusIs(kUnfit, HasSubstr("(layout chunked)")));
}

TEST_F(KeyMapperTest, AnUnknownLayoutIsTheUsersMistake) {
  EXPECT_THAT(Make({Dict("", NetKeys())}, {"orginal"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "unknown layout \"orginal\"; nearest: original"));
}

TEST_F(KeyMapperTest, PublishedKeysCarryThePrefix) {
  key_map_.layouts[0].prefix = "model.";
  const std::vector<SeededKey> keys = PublishedKeys(key_map_, tree_);
  ASSERT_EQ(keys.size(), 6);
  EXPECT_EQ(keys[2].key, "model.blocks.0.weight");
  EXPECT_EQ(keys[2].shape, Shape({4, 4}));
  const Checkpoint published = MakeHeaderCheckpoint("net.pth", keys);
  EXPECT_OK(MakePlan(published, key_map_, tree_, {}, "net"));
}

TEST_F(KeyMapperTest, ASlotThatIsNotFloatingTakesItsOwnDTypeOnly) {
  tree_.slots[0].dtype = DType::kInt64;
  const auto with = [](DType dtype) {
    StateDict dict = Dict("", NetKeys());
    dict.tensors[0].dtype = dtype;
    return dict;
  };
  EXPECT_OK(Make({with(DType::kInt64)}));
  EXPECT_TRUE(Fits());
  for (const auto& [dtype, name] : {std::pair(DType::kFloat32, "float32"), std::pair(DType::kInt32, "int32")}) {
    EXPECT_THAT(Make({with(dtype)}),
                StatusIs(kUnfit, HasSubstr(absl::StrCat("wrong dtype: cls_token wants int64, has ", name))));
    EXPECT_FALSE(Fits());
  }
  tree_.slots[0].dtype = absl::nullopt;
  EXPECT_THAT(Make({with(DType::kInt64)}),
              StatusIs(kUnfit, HasSubstr("wrong dtype: cls_token wants a floating dtype, has int64")));

  tree_.slots[0].dtype = DType::kInt64;
  const std::vector<SeededKey> keys = PublishedKeys(key_map_, tree_);
  EXPECT_EQ(keys[0].dtype, DType::kInt64);
  EXPECT_EQ(keys[1].dtype, DType::kFloat32);
  EXPECT_EQ(MakeHeaderCheckpoint("net.pth", keys).state_dicts()[0].tensors[0].dtype, DType::kInt64);
}

}  // namespace
}  // namespace modelport
