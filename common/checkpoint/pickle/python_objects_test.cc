#include "common/checkpoint/pickle/python_objects.h"

#include <string>
#include <vector>

#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::pickle {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

// A pickle with the bytes that it borrows from.
struct OwnedPickle {
  explicit OwnedPickle(const std::string& value)
      : bytes(Pickled(value)), budget(bytes.size()), pickle(ReadPickle(bytes, budget)) {}
  const Value& root() const { return *pickle->root; }

  std::string bytes;
  Budget budget;
  absl::StatusOr<Pickle> pickle;
};

std::vector<std::string> KeysOf(const std::string& value) {
  const OwnedPickle owned(value);
  std::vector<std::string> keys;
  EXPECT_OK(ForEachEntry(owned.root(), [&](const Value& key, const Value&) {
    keys.emplace_back(key.As<String>()->text);
    return absl::OkStatus();
  }));
  return keys;
}

const std::string kOrderedDict = PickleGlobal("collections", "OrderedDict");

TEST(ForEachEntryTest, PlainDict) {
  EXPECT_THAT(KeysOf(PickleDict({{PickleString("a"), "N"}, {PickleString("b"), "N"}})), ElementsAre("a", "b"));
}

TEST(ForEachEntryTest, OrderedDictWithItemsSetOnIt) {
  EXPECT_THAT(KeysOf(PickleCall(kOrderedDict, {}) + PickleString("a") + "Ns"), ElementsAre("a"));
}

TEST(ForEachEntryTest, OrderedDictOfPython2IsMadeFromPairs) {
  const std::string pairs = PickleList({PickleList({PickleString("a"), "N"}), PickleList({PickleString("b"), "N"})});
  EXPECT_THAT(KeysOf(PickleCall(kOrderedDict, {pairs})), ElementsAre("a", "b"));
}

TEST(ForEachEntryTest, DefaultDict) {
  const std::string list = PickleGlobal("__builtin__", "list");
  const std::string dict = PickleCall(PickleGlobal("collections", "defaultdict"), {list});
  EXPECT_THAT(KeysOf(dict + PickleString("a") + "Ns"), ElementsAre("a"));
}

const std::string kPlainDict = PickleDict({{PickleString("a"), "N"}});

TEST(ForEachEntryTest, ADictThatAnotherIsMadeFromComesFirst) {
  const std::string set_b = PickleString("b") + "Ns";
  EXPECT_THAT(KeysOf(PickleCall(kOrderedDict, {kPlainDict}) + set_b), ElementsAre("a", "b"));
  const std::string default_dict = PickleGlobal("collections", "defaultdict");
  EXPECT_THAT(KeysOf(PickleCall(default_dict, {"N", kPlainDict}) + set_b), ElementsAre("a", "b"));
}

TEST(ForEachEntryTest, OtherArgumentsMakeNoDict) {
  const std::string nested = PickleCall(kOrderedDict, {kPlainDict});
  for (const std::string& value : {PickleCall(kOrderedDict, {"K\1"}), PickleCall(kOrderedDict, {nested}),
                                   PickleCall(kOrderedDict, {kPlainDict, kPlainDict})}) {
    EXPECT_FALSE(IsDict(OwnedPickle(value).root()));
  }
}

TEST(ForEachEntryTest, ItemsThatAreNoPairsAreDamage) {
  for (const std::string& items : {PickleList({"N"}), PickleList({PickleList({"N"})})}) {
    const OwnedPickle owned(PickleCall(kOrderedDict, {items}));
    EXPECT_THAT(ForEachEntry(owned.root(), [](const Value&, const Value&) { return absl::OkStatus(); }),
                StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("no pairs")));
  }
}

TEST(ForEachEntryTest, EndsWithTheFirstError) {
  const OwnedPickle owned(kPlainDict);
  EXPECT_THAT(ForEachEntry(owned.root(), [](const Value&, const Value&) { return absl::InternalError("stop"); }),
              StatusIs(absl::StatusCode::kInternal, "stop"));
}

TEST(ForEachEntryTest, ObjectOfAnotherClassHasNone) {
  const std::string object = PickleCall(PickleGlobal("argparse", "Namespace"), {}) + PickleString("a") + "Ns";
  EXPECT_THAT(KeysOf(object), ElementsAre());
  EXPECT_FALSE(IsDict(OwnedPickle(object).root()));
}

TEST(IntsTest, TupleListAndSizeHaveThem) {
  const std::string tuple = PickleInts({2, 3});
  for (const std::string& value :
       {tuple, PickleList({PickleInt(2), PickleInt(3)}), PickleCall(PickleGlobal("torch", "Size"), {tuple})}) {
    EXPECT_THAT(Ints(OwnedPickle(value).root(), 2), Optional(ElementsAre(2, 3)));
  }
}

TEST(IntsTest, OtherValuesAndTooManyNumbersGiveNothing) {
  EXPECT_EQ(Ints(OwnedPickle(PickleInts({2, 3})).root(), 1), absl::nullopt);
  EXPECT_EQ(Ints(OwnedPickle(PickleTuple({"N"})).root(), 2), absl::nullopt);
  EXPECT_EQ(Ints(OwnedPickle("N").root(), 2), absl::nullopt);
}

TEST(IsBareTest, ConstantsGlobalsAndEmptyContainersAreBare) {
  const std::string net = PickleGlobal("nets", "Net");
  for (const std::string& bare : {std::string("N"), std::string("K\1"), PickleString("a"), net, std::string("]"),
                                  std::string(")"), std::string("}"), PickleCall(kOrderedDict, {})}) {
    EXPECT_TRUE(IsBare(OwnedPickle(bare).root()));
  }
  const std::string object = PickleCall(net, {});
  for (const std::string& other : {PickleList({"N"}), PickleTuple({"N"}), kPlainDict, PickleCall(net, {"N"}),
                                   object + "NNs", object + "Nb", PickleCall(object, {}), PicklePersistentId("N")}) {
    EXPECT_FALSE(IsBare(OwnedPickle(other).root()));
  }
}

TEST(DescribeTest, NamesKindsAndClasses) {
  struct Case {
    std::string value;
    std::string description;
  };
  const std::string net = PickleGlobal("nets", "Net");
  const Case cases[] = {
      {"N", "None"},
      {"K\1", "a plain value"},
      {PickleString("a"), "a string"},
      {PicklePersistentId("N"), "stored data"},
      {"]", "a list"},
      {")", "a tuple"},
      {"}", "a dict"},
      {PickleCall(kOrderedDict, {}), "a dict"},
      {net, "nets.Net"},
      {PickleCall(net, {}), "an object of class nets.Net"},
      {PickleCall(PickleGlobal("copy_reg", "_reconstructor"), {net, "N", "N"}), "an object of class nets.Net"},
      {PickleCall(PickleCall(PickleGlobal("builtins", "getattr"), {}), {}), "an object"},
      {PickleCall(PickleGlobal("nets", "\xff"), {}), "an object of class nets.\\xff"},
  };
  for (const Case& c : cases) EXPECT_EQ(Describe(OwnedPickle(c.value).root()), c.description);
}

}  // namespace
}  // namespace modelport::pickle
