#include "common/checkpoint/state_dict_collector.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A tensor that fits the one storage that these tests have.
std::string Tensor() { return PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, {2}, {1}); }

std::string Key(const std::string& name) { return PickleString(name); }

// What is found in `value`: "path/key" of each tensor in a dictionary, and the module's class, if it is of one, "path:
// holder N tensors, N elements, entry KEY" for others.
absl::StatusOr<std::vector<std::string>> Collect(const std::string& value) {
  const std::string bytes = Pickled(value);
  Budget budget(bytes.size());
  ASSIGN_OR_RETURN(const pickle::Pickle pickle, pickle::ReadPickle(bytes, budget));
  CheckpointContents contents;
  contents.storages.push_back({"data/0", absl::string_view(bytes).substr(0, 8), absl::nullopt});
  RETURN_IF_ERROR(CollectStateDicts(
      *pickle.root, [](const TorchStorage&) { return absl::StatusOr<int>(0); }, budget, &contents));
  std::vector<std::string> found;
  for (const StateDict& dict : contents.state_dicts) {
    const std::string module = dict.module.empty() ? "" : absl::StrCat(" (", dict.module, ")");
    for (const CheckpointTensor& tensor : dict.tensors) {
      found.push_back(absl::StrCat(dict.path, "/", tensor.key, module));
    }
    for (const std::string& path : dict.also) found.push_back(absl::StrCat(dict.path, " = ", path));
  }
  for (const LooseTensors& loose : contents.loose) {
    found.push_back(absl::StrCat(loose.path, ": ", loose.holder, ", ", loose.tensors, " tensors, ", loose.elements,
                                 " elements", loose.key.empty() ? "" : ", entry ", loose.key));
  }
  return found;
}

std::vector<std::string> CollectOrEmpty(const std::string& value) {
  const absl::StatusOr<std::vector<std::string>> found = Collect(value);
  EXPECT_OK(found);
  return found.value_or(std::vector<std::string>());
}

TEST(StateDictCollectorTest, FindsDictionariesAtAnyDepthInFileOrder) {
  const std::string state = PickleDict({{PickleInt(0), PickleDict({{Key("exp_avg"), Tensor()}})},
                                        {PickleInt(1), PickleDict({{Key("exp_avg"), Tensor()}})}});
  const std::string model = PickleDict({{Key("w"), Tensor()}, {Key("b"), Tensor()}});
  EXPECT_THAT(
      CollectOrEmpty(PickleDict({{Key("optimizer"), PickleDict({{Key("state"), state}})},
                                 {Key("models"), PickleList({model})},
                                 {Key("mean"), Tensor()}})),
      ElementsAre("/mean", "optimizer.state.0/exp_avg", "optimizer.state.1/exp_avg", "models.0/w", "models.0/b"));
}

TEST(StateDictCollectorTest, ATensorWithoutElementsMayBeginBeyondItsStorage) {
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("w"), PickleTensor(storage, 7, {0, 2}, {5, 1})}})), ElementsAre("/w"));
  EXPECT_THAT(Collect(PickleDict({{Key("w"), PickleTensor(storage, -1, {0}, {1})}})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("describe no tensor")));
}

TEST(StateDictCollectorTest, IgnoresOtherValues) {
  const std::string object = PickleCall(PickleGlobal("os", "system"), {Key("ls")});
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("args"), object}, {Key("epoch"), PickleInt(3)}, {Key("w"), Tensor()}})),
              ElementsAre("/w"));
}

TEST(StateDictCollectorTest, TensorsInListsTuplesAndObjectsAreLoose) {
  const std::string state = PickleDict({{Key("weights"), PickleDict({{Key("w"), Tensor()}})}, {Key("b"), Tensor()}});
  const std::string net = PickleCall(PickleGlobal("nets", "Net"), {}) + state + "b";
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("w"), Tensor()},
                                         {Key("list"), PickleList({Tensor(), "N", Tensor()})},
                                         {Key("args"), PickleTuple({PickleList({Tensor()})})},
                                         {Key("net"), net}})),
              ElementsAre("/w", "list: a list, 2 tensors, 4 elements", "args.0: a list, 1 tensors, 2 elements",
                          "net: an object of class nets.Net, 2 tensors, 4 elements"));
}

TEST(StateDictCollectorTest, WhatOneProcessOfFsdpSavesIsNamed) {
  const std::string shards =
      PickleCall(PickleGlobal("torch.distributed._shard.sharded_tensor.api", "ShardedTensor"), {});
  const std::string state = PickleTuple({PickleList({Tensor()}), "N"});
  EXPECT_THAT(Collect(PickleDict({{Key("w"), shards + state + "b"}, {Key("bias"), Tensor()}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("holds w, an object of class torch.distributed._shard.sharded_tensor.api."
                                        "ShardedTensor: the part of one process"),
                             HasSubstr("full_state_dict=True"))));
  EXPECT_THAT(Collect(PickleDict({{Key("model"), PickleDict({{Key("encoder._flat_param"), Tensor()}})}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("holds the flat parameter model.encoder._flat_param: the part of one process")));
}

TEST(StateDictCollectorTest, TensorsGivenToAnObjectAreLoose) {
  const std::string net = PickleGlobal("nets", "Net");
  for (const std::string& object :
       {PickleCall(net, {Tensor()}), PickleCall(net, {}) + Tensor() + "b", PickleCall(net, {}) + Tensor() + "a",
        PickleCall(net, {}) + Key("k") + Tensor() + "s", PickleCall(net, {}) + Tensor() + Key("v") + "s",
        net + ")" + PickleDict({{Key("k"), Tensor()}}) + "\x92", PickleCall(PickleCall(net, {Tensor()}), {}),
        PicklePersistentId(PickleTuple({Tensor()}))}) {
    const std::vector<std::string> found = CollectOrEmpty(PickleDict({{Key("w"), Tensor()}, {Key("o"), object}}));
    ASSERT_EQ(found.size(), 2);
    EXPECT_THAT(found[1], AllOf(StartsWith("o: "), HasSubstr("1 tensors, 2 elements")));
  }
}

TEST(StateDictCollectorTest, TensorsBesideTheEntriesOfADictionaryAreLoose) {
  const std::string ordered = PickleGlobal("collections", "OrderedDict");
  const std::string hidden = PickleDict({{Key("_metadata"), Tensor()}});
  const std::string partial = PickleCall(PickleGlobal("functools", "partial"), {Tensor()});
  const std::string weights = Key("w") + Tensor() + "s";
  EXPECT_THAT(CollectOrEmpty(PickleCall(ordered, {}) + weights + hidden + "b"),
              ElementsAre("/w", "(attributes): a list, 1 tensors, 2 elements"));
  EXPECT_THAT(CollectOrEmpty(PickleCall(PickleGlobal("collections", "defaultdict"), {partial}) + weights),
              ElementsAre("/w", "(argument): an object of class functools.partial, 1 tensors, 2 elements"));
  EXPECT_THAT(CollectOrEmpty("}" + weights + PickleTuple({Tensor()}) + "Ns"),
              ElementsAre("/w", "<a tuple, key 1>: a tuple, 1 tensors, 2 elements"));
  EXPECT_THAT(CollectOrEmpty("}" + Key("w") + Tensor() + hidden + "bs"),
              ElementsAre("/w", "w.(attributes): a list, 1 tensors, 2 elements"));
}

TEST(StateDictCollectorTest, TheArgumentOfADictionaryIsRead) {
  const std::string ordered = PickleGlobal("collections", "OrderedDict");
  EXPECT_THAT(CollectOrEmpty(PickleCall(ordered, {PickleDict({{Key("w"), Tensor()}})})), ElementsAre("/w"));
  EXPECT_THAT(CollectOrEmpty(PickleCall(ordered, {PickleList({PickleList({Key("w"), Tensor()})})})), ElementsAre("/w"));
}

TEST(StateDictCollectorTest, LooseStoragesAndTensorsOfUnsupportedKindsCount) {
  const std::string sparse = PickleCall(PickleGlobal("torch._utils", "_rebuild_sparse_tensor"), {Tensor(), Tensor()});
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("w"), Tensor()},
                                         {Key("storage"), PickleStorage("ComplexFloatStorage", "0", 1)},
                                         {Key("new"), PickleStorage("NewStorage", "0", 1)},
                                         {Key("sparse"), PickleList({sparse})}})),
              ElementsAre("/w", "sparse: a list, 2 tensors, 4 elements", "storage: stored data, 1 tensors, 1 elements",
                          "new: stored data, 1 tensors, 0 elements"));
}

TEST(StateDictCollectorTest, EntriesOfKindsThatAreNotReadAreNamed) {
  const std::string sparse = PickleCall(PickleGlobal("torch._utils", "_rebuild_sparse_tensor"), {Tensor(), Tensor()});
  const std::string meta = PickleCall(PickleGlobal("torch._utils", "_rebuild_meta_tensor_no_storage"), {});
  EXPECT_THAT(CollectOrEmpty(PickleDict(
                  {{Key("model"), PickleDict({{Key("w"), Tensor()}, {Key("a.mask"), sparse}})}, {Key("shape"), meta}})),
              ElementsAre("model/w", "shape: a meta tensor, which has no elements, 1 tensors, 0 elements, entry shape",
                          "model.a.mask: a sparse tensor, 1 tensors, 0 elements, entry a.mask"));
  EXPECT_THAT(
      Collect(PickleDict({{Key("w"), sparse}})),
      StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("holds no state dict\n  w is a sparse tensor\n")));
}

TEST(StateDictCollectorTest, ADictionaryThatAnObjectSharesIsFoundAsADictionary) {
  const std::string net = PickleCall(PickleGlobal("nets", "Net"), {"}q\1" + Key("w") + Tensor() + "s"});
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("net"), net}, {Key("model"), "h\1"}})), ElementsAre("model/w"));
  const std::string other = PickleCall(PickleGlobal("nets", "Net"), {Tensor() + "q\2"});
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("net"), other}, {Key("w"), "h\2"}, {Key("list"), PickleList({"h\2"})}})),
              ElementsAre("/w"));
}

TEST(StateDictCollectorTest, TwoKeysThatAreSpelledAlikeAreRefused) {
  const std::string mixed[][2] = {
      {Key("w"), Key("w")}, {PickleInt(1), Key("1")}, {Key("a\n"), Key("a\\n")}, {"\x88", Key("True")}};
  for (const auto& [first, second] : mixed) {
    for (const std::string& value : {Tensor(), PickleDict({{Key("x"), Tensor()}})}) {
      EXPECT_THAT(Collect(PickleDict({{Key("v"), Tensor()}, {first, value}, {second, value}})),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("two keys of this dictionary")));
      EXPECT_THAT(Collect(PickleDict({{Key("v"), Tensor()}, {first, value}, {second, "N"}})),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("two keys of this dictionary")));
    }
    // Settings, which hold no tensors, may have such keys; and Python itself would give the key its last value.
    EXPECT_OK(Collect(PickleDict({{Key("v"), Tensor()}, {first, "N"}, {second, "K\1"}})));
    EXPECT_OK(Collect(PickleDict({{first, "N"}, {second, Tensor()}})));
  }
}

TEST(StateDictCollectorTest, AKeyWithADotThatShadowsANestedDictionaryIsRefused) {
  const std::string weights = PickleDict({{Key("w"), Tensor()}});
  const std::string nested = PickleDict({{Key("state_dict"), weights}});
  EXPECT_THAT(
      Collect(PickleDict({{Key("model.state_dict"), weights}, {Key("model"), nested}})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("model.state_dict: two dictionaries have this path")));
  EXPECT_OK(Collect(PickleDict({{Key("model.state_dict"), "}"}, {Key("model"), nested}})));
}

TEST(StateDictCollectorTest, OneStorageUnderTwoDTypesIsRefused) {
  const std::string ints = PickleTensor(PickleStorage("IntStorage", "0", 2), 0, {2}, {1});
  for (const std::string& value : {ints, PickleList({ints})}) {
    EXPECT_THAT(Collect(PickleDict({{Key("w"), Tensor()}, {Key("i"), value}})),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("i: data/0 is viewed as float32 and as int32, which torch.save never writes")));
  }
}

TEST(StateDictCollectorTest, OneDictionaryUnderTwoNamesHasTwoPaths) {
  const std::string ema = "}q\1" + Key("w") + Tensor() + "s";
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("ema"), ema}, {Key("model"), "h\1"}})),
              ElementsAre("ema/w", "ema = model"));
}

TEST(StateDictCollectorTest, KeysAreSpelledOutVisibly) {
  EXPECT_THAT(CollectOrEmpty(PickleDict(
                  {{PickleInt(7), Tensor()}, {"\x88", Tensor()}, {")", Tensor()}, {Key("a\xff\x1b\n"), Tensor()}})),
              ElementsAre("/7", "/True", "/<a tuple, key 2>", "/a\\xff\\x1b\\n"));
}

TEST(StateDictCollectorTest, DictionaryInItselfIsListedOnce) {
  const std::string dict = absl::StrCat("}q\1(", Key("self"), "h\1", Key("w"), Tensor(), "u");
  EXPECT_THAT(CollectOrEmpty(dict), ElementsAre("/w", " = self"));
}

TEST(StateDictCollectorTest, AValueThatTheMemoRepeatsIsVisitedOnce) {
  std::string value = PickleDict({{Key("w"), Tensor()}});
  for (int i = 0; i < 60; ++i) absl::StrAppend(&value, "q\1", "0}(", Key("a"), "h\1", Key("b"), "h\1u");
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> found, Collect(value));
  EXPECT_EQ(found.size(), 2);
}

TEST(StateDictCollectorTest, NestingWithoutEndIsRefused) {
  // Dictionaries within dictionaries, each under "a".
  const int levels = 200'000;
  std::string value = absl::StrCat(Key("a"), "q\1", "0");
  for (int i = 0; i < levels; ++i) absl::StrAppend(&value, "}h\1");
  absl::StrAppend(&value, "N");
  for (int i = 0; i < levels; ++i) absl::StrAppend(&value, "s");
  EXPECT_THAT(Collect(value), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a checkpoint")));
}

TEST(StateDictCollectorTest, LongSharedKeyIsRefused) {
  std::string value = absl::StrCat(Tensor(), "q\2", "0", Key(std::string(1 << 20, 'k')), "q\1", "0](");
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&value, "}h\1h\2s");
  EXPECT_THAT(Collect(PickleDict({{Key("list"), value + "e"}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a checkpoint")));
}

// A torch.nn.Module that was pickled whole.
std::string Module(const std::string& parameters, const std::string& buffers, const std::string& modules,
                   const std::vector<std::pair<std::string, std::string>>& more = {}) {
  std::vector<std::pair<std::string, std::string>> state = {
      {Key("_parameters"), parameters}, {Key("_buffers"), buffers}, {Key("_modules"), modules}};
  state.insert(state.end(), more.begin(), more.end());
  return PickleCall(PickleGlobal("nets", "Net"), {}) + PickleDict(state) + "b";
}

TEST(StateDictCollectorTest, AWholeModuleHasTheKeysOfItsStateDict) {
  const std::string none = "N";
  const std::string names = PickleCall(PickleGlobal("__builtin__", "set"), {PickleList({Key("grid")})});
  const std::string norm = Module(PickleDict({{Key("weight"), Tensor()}, {Key("bias"), none}}),
                                  PickleDict({{Key("mean"), Tensor()}, {Key("grid"), Tensor()}}), "}",
                                  {{Key("_non_persistent_buffers_set"), names}});
  const std::string net = Module(PickleDict({{Key("token"), Tensor()}}), "}",
                                 PickleDict({{Key("norm"), norm}, {Key("drop"), none}, {Key("last"), norm}}));
  EXPECT_THAT(CollectOrEmpty(net), ElementsAre("/token (nets.Net)", "/norm.weight (nets.Net)", "/norm.mean (nets.Net)",
                                               "/last.weight (nets.Net)", "/last.mean (nets.Net)"));
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("model"), norm}, {Key("w"), Tensor()}})),
              ElementsAre("/w", "model/weight (nets.Net)", "model/mean (nets.Net)"));
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("models"), PickleList({norm, norm})}})),
              ElementsAre("models.0/weight (nets.Net)", "models.0/mean (nets.Net)", "models.1/weight (nets.Net)",
                          "models.1/mean (nets.Net)"));
  // What a module holds beside its parameters, buffers and modules is not in its state dict.
  EXPECT_THAT(CollectOrEmpty(Module(PickleDict({{Key("w"), Tensor()}}), "}", "}", {{Key("anchors"), Tensor()}})),
              ElementsAre("/w (nets.Net)", HasSubstr("(attributes): ")));
  EXPECT_THAT(Collect(Module("}", "}", "}")), StatusIs(absl::StatusCode::kInvalidArgument, "holds no tensors"));
}

// As TorchScript pickles a module: no attribute tells parameters from buffers.
std::string ScriptModule(const std::string& type, const std::vector<std::pair<std::string, std::string>>& attributes) {
  return PickleGlobal("__torch__", type) + ")\x81" + PickleDict(attributes) + "b";
}

TEST(StateDictCollectorTest, AModuleOfTorchScriptHasItsAttributePaths) {
  const std::string norm =
      ScriptModule("Norm", {{Key("training"), "\x88"}, {Key("weight"), Tensor()}, {Key("mean"), Tensor()}});
  const std::string net = ScriptModule(
      "Net",
      {{Key("token"), Tensor()}, {Key("norm"), norm}, {Key("names"), PickleList({Key("a")})}, {Key("last"), norm}});
  EXPECT_THAT(CollectOrEmpty(net), ElementsAre("/token (Net)", "/norm.weight (Net)", "/norm.mean (Net)",
                                               "/last.weight (Net)", "/last.mean (Net)"));
  EXPECT_THAT(CollectOrEmpty(ScriptModule("Net", {{Key("w"), Tensor()}, {Key("held"), PickleList({Tensor()})}})),
              ElementsAre("/w (Net)", HasSubstr("a list, 1 tensors")));
}

TEST(StateDictCollectorTest, AModuleWithinItselfEnds) {
  // MEMOIZE 1 names the module, which its own dictionary of modules then holds.
  const std::string module = PickleCall(PickleGlobal("nets", "Net"), {}) + "q\1" +
                             PickleDict({{Key("_parameters"), PickleDict({{Key("w"), Tensor()}})},
                                         {Key("_buffers"), "}"},
                                         {Key("_modules"), PickleDict({{Key("again"), "h\1"}})}}) +
                             "b";
  EXPECT_THAT(Collect(module), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a checkpoint")));
}

TEST(StateDictCollectorTest, NamesTheKindOfAValueThatIsNoStateDict) {
  struct Case {
    std::string value;
    std::string message;
  };
  const std::string net = PickleCall(PickleGlobal("nets", "Net"), {});
  const Case cases[] = {
      {"}", "holds no tensors"},
      {PickleDict({{Key("epoch"), PickleInt(1)}}), "holds no tensors"},
      {PickleDict({{Key("model"), PickleCall(PickleGlobal("nets", "Net"), {Tensor()})}}),
       "holds no state dict\n  model is an object of class nets.Net with 1 tensor\n  save the weights"},
      {net, "holds an object of class nets.Net, neither a state dict nor a torch.nn.Module"},
      {Tensor(), "holds a single tensor, not a state dict"},
      {PickleList({PickleDict({{Key("w"), Tensor()}})}), "holds a list, not a state dict"},
      {"K\1", "holds a plain value, not a state dict"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Collect(c.value), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(StateDictCollectorTest, ErrorsNameThePathOfTheTensor) {
  const std::string large = PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, {3}, {1});
  EXPECT_THAT(Collect(PickleDict({{Key("model"), PickleDict({{Key("head.w"), large}})}})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("model.head.w: shape [3], strides [1], offset 0 reach")));
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kFileBytes = 1000;

absl::Status Check(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, int64_t storage_bytes) {
  return CheckTensorBounds({"key", DType::kFloat32, shape, strides, offset, 0}, storage_bytes, kFileBytes);
}

TEST(TensorBoundsTest, AcceptsTensorsWithinTheStorage) {
  EXPECT_OK(Check({}, {}, 0, 4));
  EXPECT_OK(Check({2, 3}, {3, 1}, 0, 24));
  EXPECT_OK(Check({2, 3}, {1, 2}, 1, 28));
  EXPECT_OK(Check({250}, {0}, 0, 4));
  EXPECT_OK(Check({1, 2}, {kMax, 1}, 0, 8));
  EXPECT_OK(Check({0, 3}, {3, 1}, 2, 8));
}

TEST(TensorBoundsTest, RefusesTensorsThatReachBeyondIt) {
  struct Case {
    const char* defect;
    Shape shape;
    std::vector<int64_t> strides;
    int64_t offset;
    const char* message;
  };
  const Case cases[] = {
      {"one element too many", {25}, {1}, 0, "has 24 elements"},
      {"offset beyond the storage", {1}, {1}, 24, "reach beyond"},
      {"offset of an empty tensor beyond the storage", {0}, {1}, 25, "reach beyond"},
      {"stride beyond the storage", {2, 2}, {24, 1}, 0, "reach beyond"},
      {"negative offset", {1}, {1}, -1, "describe no tensor"},
      {"negative stride", {2}, {-1}, 1, "describe no tensor"},
      {"negative size", {-1}, {1}, 0, "describe no tensor"},
      {"fewer strides than sizes", {1, 1}, {1}, 0, "describe no tensor"},
      {"product of sizes overflows", {kMax, 2}, {0, 0}, 0, "describe no tensor"},
      {"product of size and stride overflows", {3}, {kMax}, 0, "reach beyond"},
      {"sum of spans overflows", {2, 2}, {kMax, kMax}, 0, "reach beyond"},
      {"offset and span overflow", {2}, {1}, kMax, "reach beyond"},
      {"expands beyond the file", {251}, {0}, 0, "expand to more bytes"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Check(c.shape, c.strides, c.offset, 96), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(c.message)))
        << c.defect;
  }
}

}  // namespace

}  // namespace modelport
