#include "common/checkpoint/state_dict_collector.h"

#include <string>
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

// A tensor that fits the one storage that these tests have.
std::string Tensor() { return PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, {2}, {1}); }

std::string Key(const std::string& name) { return PickleString(name); }

// The "path/key" of each tensor that is found in `value`.
absl::StatusOr<std::vector<std::string>> Collect(const std::string& value) {
  const std::string bytes = Pickled(value);
  ASSIGN_OR_RETURN(const pickle::Pickle pickle, pickle::ReadPickle(bytes));
  CheckpointContents contents;
  contents.bytes = bytes;
  contents.storages.push_back({"0", absl::string_view(bytes).substr(0, 8), absl::nullopt});
  RETURN_IF_ERROR(CollectStateDicts(
      *pickle.root, [](const TorchStorage&) { return absl::StatusOr<int>(0); }, &contents));
  std::vector<std::string> found;
  for (const StateDict& dict : contents.state_dicts) {
    for (const CheckpointTensor& tensor : dict.tensors) found.push_back(absl::StrCat(dict.path, "/", tensor.key));
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

TEST(StateDictCollectorTest, PassesOverEverythingElse) {
  const std::string object = PickleCall(PickleGlobal("os", "system"), {Key("ls")});
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("args"), object}, {Key("epoch"), PickleInt(3)}, {Key("w"), Tensor()}})),
              ElementsAre("/w"));
}

TEST(StateDictCollectorTest, KeyThatOccursTwiceHasItsLastValue) {
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("w"), "N"}, {Key("b"), Tensor()}, {Key("w"), Tensor()}})),
              ElementsAre("/w", "/b"));
  EXPECT_THAT(CollectOrEmpty(PickleDict({{Key("w"), Tensor()}, {Key("b"), Tensor()}, {Key("w"), "N"}})),
              ElementsAre("/b"));
}

TEST(StateDictCollectorTest, KeysThatAreNoUtf8StringsAreSpelledOut) {
  EXPECT_THAT(CollectOrEmpty(PickleDict(
                  {{PickleInt(7), Tensor()}, {"\x88", Tensor()}, {")", Tensor()}, {Key("a\xff"), Tensor()}})),
              ElementsAre("/7", "/True", "/<a tuple>", "/a\\xff"));
}

TEST(StateDictCollectorTest, DictionaryInItselfIsListedOnce) {
  const std::string dict = absl::StrCat("}q\1(", Key("self"), "h\1", Key("w"), Tensor(), "u");
  EXPECT_THAT(CollectOrEmpty(dict), ElementsAre("/w"));
}

TEST(StateDictCollectorTest, DoublingThroughTheMemoIsWalkedOnce) {
  std::string value = PickleDict({{Key("w"), Tensor()}});
  for (int i = 0; i < 60; ++i) absl::StrAppend(&value, "q\1", "0}(", Key("a"), "h\1", Key("b"), "h\1u");
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> found, Collect(value));
  EXPECT_EQ(found.size(), 1);
}

TEST(StateDictCollectorTest, NestingWithoutEndIsRefused) {
  // Dictionaries within dictionaries, each under "a".
  const int levels = 200'000;
  std::string value = absl::StrCat(Key("a"), "q\1", "0");
  for (int i = 0; i < levels; ++i) absl::StrAppend(&value, "}h\1");
  absl::StrAppend(&value, "N");
  for (int i = 0; i < levels; ++i) absl::StrAppend(&value, "s");
  EXPECT_THAT(Collect(value), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 64 MB")));
}

TEST(StateDictCollectorTest, LongSharedKeyIsRefused) {
  std::string value = absl::StrCat(Tensor(), "q\2", "0", Key(std::string(1 << 20, 'k')), "q\1", "0](");
  for (int i = 0; i < 100; ++i) absl::StrAppend(&value, "}h\1h\2s");
  EXPECT_THAT(Collect(PickleDict({{Key("list"), value + "e"}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 64 MB")));
}

TEST(StateDictCollectorTest, SaysWhatIsThereInsteadOfAStateDict) {
  struct Case {
    std::string value;
    std::string message;
  };
  const std::string net = PickleCall(PickleGlobal("nets", "Net"), {});
  const Case cases[] = {
      {"}", "holds no tensors"},
      {PickleDict({{Key("epoch"), PickleInt(1)}}), "holds no tensors"},
      {PickleDict({{Key("model"), net}}),
       "holds no tensors\n  model is an object of class nets.Net\n  save its state_dict"},
      {net, "holds an object of class nets.Net: a whole pickled model"},
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

}  // namespace
}  // namespace modelport
