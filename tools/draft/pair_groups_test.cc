#include "tools/draft/pair_groups.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Tensors = std::vector<std::pair<std::string, Shape>>;

std::vector<KeyGroup> Groups(const Tensors& tensors) {
  std::vector<NamedShape> named;
  for (const auto& [name, shape] : tensors) named.push_back({name, &shape});
  return GroupKeys(named);
}

// "slot slot <- by key key" of each pair.
std::vector<std::string> Pairs(const Tensors& slots, const Tensors& keys) {
  const std::vector<KeyGroup> slot_groups = Groups(slots), key_groups = Groups(keys);
  std::vector<std::string> lines;
  for (const GroupPair& pair : PairGroups(slot_groups, key_groups)) {
    std::string line;
    for (const KeyGroup* slot : pair.slots) absl::StrAppend(&line, slot->pattern, " ");
    absl::StrAppend(&line, "<-", pair.by.empty() ? "" : " ", pair.by);
    for (const KeyGroup* key : pair.keys) absl::StrAppend(&line, " ", key->pattern);
    lines.push_back(line + (pair.is_ordered ? "" : " ?"));
  }
  return lines;
}

TEST(PairGroupsTest, EqualNamesComeFirst) {
  EXPECT_THAT(Pairs({{"norm", {4}}, {"norms", {4}}}, {{"norms", {4}}, {"norm2", {4}}}),
              ElementsAre("norm <- norm2", "norms <- norms"));
}

TEST(PairGroupsTest, MoreSimilarNamesComeFirst) {
  EXPECT_THAT(
      Pairs({{"b.0.ls1.gamma", {4}}, {"b.0.norm1.weight", {4}}},
            {{"layer.0.norm1.weight", {4}}, {"layer.0.scale1.lambda", {4}}}),
      ElementsAre("b.{i}.ls1.gamma <- layer.{i}.scale1.lambda", "b.{i}.norm1.weight <- layer.{i}.norm1.weight"));
}

TEST(PairGroupsTest, OtherShapesAndOtherLayersArePartners) {
  EXPECT_THAT(Pairs({{"a", {4}}}, {{"a", {5}}}), IsEmpty());
  EXPECT_THAT(Pairs({{"b.0", {4}}, {"b.1", {4}}}, {{"c.0", {4}}}), IsEmpty());
  EXPECT_THAT(Pairs({{"b.0", {4}}, {"b.1", {4}}}, {{"c.1", {4}}, {"c.2", {4}}}), IsEmpty());
}

// A chunked list has one number more, which is 0 for all.
TEST(PairGroupsTest, ANumberThatAllHaveIsAName) {
  EXPECT_THAT(Pairs({{"net.blocks.0.w", {4}}, {"net.blocks.1.w", {4}}},
                    {{"encoder.blocks.0.0.w", {4}}, {"encoder.blocks.0.1.w", {4}}}),
              ElementsAre("net.blocks.{i}.w <- encoder.blocks.0.{i}.w"));
  EXPECT_THAT(Pairs({{"b.0.mlp.1", {4}}, {"b.1.mlp.1", {4}}}, {{"c.0.mlp.3", {4}}, {"c.1.mlp.3", {4}}}),
              ElementsAre("b.{i}.mlp.1 <- c.{i}.mlp.3"));
}

TEST(PairGroupsTest, AWeightIsNoBias) {
  EXPECT_THAT(Pairs({{"norm.weight", {4}}}, {{"norm.bias", {4}}}), IsEmpty());
  EXPECT_THAT(Pairs({{"norm.weight", {4}}}, {{"norm.gamma", {4}}}), ElementsAre("norm.weight <- norm.gamma"));
}

TEST(PairGroupsTest, PartsAreOrderedByTheirNames) {
  EXPECT_THAT(Pairs({{"attn.qkv.weight", {6, 2}}}, {{"at.k_proj.weight", {2, 2}},
                                                    {"at.o_proj.weight", {2, 2}},
                                                    {"at.q_proj.weight", {2, 2}},
                                                    {"at.v_proj.weight", {2, 2}}}),
              ElementsAre("attn.qkv.weight <- concatenate(0) at.q_proj.weight at.k_proj.weight at.v_proj.weight"));
}

TEST(PairGroupsTest, UnknownPartsAreInTheFilesOrderIfThereAreAsManyAsNeeded) {
  EXPECT_THAT(Pairs({{"w12", {6, 2}}}, {{"w.a", {3, 2}}, {"w.b", {3, 2}}}),
              ElementsAre("w12 <- concatenate(0) w.a w.b ?"));
  EXPECT_THAT(Pairs({{"w12", {6, 2}}}, {{"w.a", {3, 2}}, {"w.b", {3, 2}}, {"w.c", {3, 2}}}), IsEmpty());
}

TEST(PairGroupsTest, SeveralSlotsOfOneKey) {
  EXPECT_THAT(Pairs({{"at.query.bias", {2}}, {"at.key.bias", {2}}, {"at.value.bias", {2}}}, {{"qkv.bias", {6}}}),
              ElementsAre("at.query.bias at.key.bias at.value.bias <- chunk(3, 0) qkv.bias"));
}

// The names are compared at most 20,000 times: of 10,000 slots and keys of one shape some are left.
TEST(PairGroupsTest, ManyNamesOfOneShapeTakeBoundedTime) {
  Tensors slots, keys;
  for (int i = 0; i < 10000; ++i) {
    slots.emplace_back(absl::StrCat("slot", i, std::string(100, 'a')), Shape{4});
    keys.emplace_back(absl::StrCat("key", i, std::string(100, 'b')), Shape{4});
  }
  const size_t pairs = Pairs(slots, keys).size();
  EXPECT_GT(pairs, 0);
  EXPECT_LT(pairs, 10000);
}

TEST(SharedPiecesTest, IsTheShareOfCharactersInCommonPieces) {
  EXPECT_DOUBLE_EQ(SharedPieces("norm1.weight", "norm1.weight"), 1);
  EXPECT_DOUBLE_EQ(SharedPieces("abc", "xyz"), 0);
  EXPECT_DOUBLE_EQ(SharedPieces("ab-cd", "ab+cd"), 0.8);
  EXPECT_DOUBLE_EQ(SharedPieces("abcd", "cdab"), 0.5);
  EXPECT_DOUBLE_EQ(SharedPieces("", ""), 1);
  EXPECT_DOUBLE_EQ(SharedPieces("a", ""), 0);
}

TEST(SharedPiecesTest, ANumberInANameCounts) {
  EXPECT_GT(SharedPieces("ls1.gamma", "layer_scale1.lambda1"), SharedPieces("ls2.gamma", "layer_scale1.lambda1"));
  EXPECT_GT(SharedPieces("mlp.fc2.bias", "mlp.fc2.bias"), SharedPieces("attn.proj.bias", "mlp.fc2.bias"));
}

TEST(SharedPiecesTest, OfLongNamesTheEndsAreCompared) {
  const std::string end(96, 'e');
  EXPECT_DOUBLE_EQ(SharedPieces(std::string(1 << 20, 'a') + end, std::string(1 << 20, 'b') + end), 1);
}

TEST(KeyGroupsTest, LayersAreOneGroup) {
  const Shape one = {1}, two = {2, 2};
  const std::vector<KeyGroup> groups =
      GroupKeys({{"cls", &one}, {"b.0.w", &two}, {"b.0.c.3", &one}, {"b.1.w", &one}, {"b.1.c.3", &one}});
  ASSERT_EQ(groups.size(), 3);
  EXPECT_EQ(groups[0].pattern, "cls");
  EXPECT_THAT(groups[0].members, ElementsAre(Pair(ElementsAre(), one)));
  EXPECT_EQ(groups[1].pattern, "b.{i}.w");
  EXPECT_THAT(groups[1].members, ElementsAre(Pair(ElementsAre(0), two), Pair(ElementsAre(1), one)));
  EXPECT_EQ(groups[2].pattern, "b.{i}.c.3");
  EXPECT_THAT(groups[2].members, ElementsAre(Pair(ElementsAre(0), one), Pair(ElementsAre(1), one)));
}

TEST(KeyGroupsTest, NamesThatNoPatternCanHaveAreLeftOut) {
  const Shape one = {1};
  EXPECT_TRUE(GroupKeys({{"a..b", &one}, {"", &one}, {"a.{i}", &one}, {"a b", &one}, {"caf\xc3\xa9", &one}}).empty());
}

TEST(KeyGroupsTest, NumbersThatAreNoIndicesStay) {
  const Shape one = {1};
  const std::vector<KeyGroup> groups = GroupKeys({{"a.007.1234567890.c1", &one}, {"1.2.3.4.5.6.7", &one}});
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].pattern, "a.007.1234567890.c1");
  EXPECT_EQ(groups[1].pattern, "{i}.{j}.{k}.{l}.{m}.{n}.7");
}

}  // namespace

}  // namespace modelport
