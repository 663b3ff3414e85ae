#include "common/text/collapse_indices.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

// "cell | cell (count)" of each result.
std::vector<std::string> Collapse(const Rows& rows) {
  std::vector<std::string> lines;
  for (const CollapsedRow& row : CollapseIndices(rows)) {
    lines.push_back(absl::StrCat(absl::StrJoin(row.cells, " | "), " (", row.count, ")"));
  }
  return lines;
}

TEST(CollapseIndicesTest, LayersOfOneShape) {
  EXPECT_THAT(Collapse({{"cls_token", "[1]"},
                        {"blocks.0.norm.weight", "[2]"},
                        {"blocks.0.fc.weight", "[2, 2]"},
                        {"blocks.1.norm.weight", "[2]"},
                        {"blocks.1.fc.weight", "[2, 2]"},
                        {"norm.weight", "[2]"}}),
              ElementsAre("cls_token | [1] (1)", "blocks.{0..1}.norm.weight | [2] (2)",
                          "blocks.{0..1}.fc.weight | [2, 2] (2)", "norm.weight | [2] (1)"));
}

TEST(CollapseIndicesTest, IndicesAreOrderedByValueAndGapsDivide) {
  EXPECT_THAT(Collapse({{"b.10"}, {"b.9"}, {"b.11"}, {"b.3"}}), ElementsAre("b.{9..11} (3)", "b.3 (1)"));
}

TEST(CollapseIndicesTest, AnotherShapeIsAnotherRow) {
  EXPECT_THAT(Collapse({{"b.0", "[1]"}, {"b.1", "[2]"}, {"b.2", "[2]"}}),
              ElementsAre("b.0 | [1] (1)", "b.{1..2} | [2] (2)"));
}

TEST(CollapseIndicesTest, CellsRunTogetherAlsoWithAnOffsetAndBackwards) {
  EXPECT_THAT(Collapse({{"b.0", "layer.5", "r.2"}, {"b.1", "layer.6", "r.1"}, {"b.2", "layer.7", "r.0"}}),
              ElementsAre("b.{0..2} | layer.{5..7} | r.{2..0} (3)"));
}

TEST(CollapseIndicesTest, NestedLayers) {
  Rows rows;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) rows.push_back({absl::StrCat("b.", i, ".c.", j), absl::StrCat("x.", i, ".", j)});
  }
  EXPECT_THAT(Collapse(rows), ElementsAre("b.{0..2}.c.{0..1} | x.{0..2}.{0..1} (6)"));
}

// Two places of one name that move together are not every combination, which is what two ranges say.
TEST(CollapseIndicesTest, TwoPlacesOfANameDoNotMoveTogether) {
  EXPECT_THAT(Collapse({{"b.0.c.0"}, {"b.1.c.1"}}), ElementsAre("b.0.c.0 (1)", "b.1.c.1 (1)"));
}

TEST(CollapseIndicesTest, OnlyWholePartsAreIndices) {
  EXPECT_THAT(Collapse({{"norm1.w"}, {"norm2.w"}, {"[0]"}, {"[1]"}, {"b.00"}, {"b.01"}, {"b.1234567890"}}), SizeIs(7));
}

TEST(CollapseIndicesTest, EqualRowsStay) {
  EXPECT_THAT(Collapse({{"b.0"}, {"b.0"}, {"b.1"}}), ElementsAre("b.{0..1} (2)", "b.0 (1)"));
}

TEST(CollapseIndicesTest, AMarkInANameIsNoIndex) {
  EXPECT_THAT(Collapse({{"b.{0..1}"}, {"b.#.0"}, {"b.0.#"}}), SizeIs(3));
}

TEST(CollapseIndicesTest, ManyRowsOfOneSkeleton) {
  Rows rows;
  for (int i = 0; i < 100000; ++i) rows.push_back({absl::StrCat("b.", (i * 7LL) % 100000, ".w")});
  EXPECT_THAT(Collapse(rows), ElementsAre("b.{0..99999}.w (100000)"));
  for (int i = 0; i < 100000; ++i) rows[i] = {absl::StrCat("b.", 2 * i, ".w")};
  EXPECT_THAT(CollapseIndices(rows), SizeIs(100000));
}

TEST(JoinAlternativesTest, NamesThatDifferInOnePart) {
  EXPECT_EQ(JoinAlternatives({"a.q.w", "a.k.w", "a.v.w"}), "a.{q,k,v}.w");
  EXPECT_EQ(JoinAlternatives({"a.w"}), "a.w");
  EXPECT_EQ(JoinAlternatives({"w1", "w2"}), "{w1,w2}");
}

TEST(JoinAlternativesTest, OthersAreListed) {
  EXPECT_EQ(JoinAlternatives({"a.q.w", "b.k.w"}), "a.q.w, b.k.w");
  EXPECT_EQ(JoinAlternatives({"a.q.w", "a.w"}), "a.q.w, a.w");
  EXPECT_EQ(JoinAlternatives({"a", "a"}), "a, a");
}

}  // namespace
}  // namespace modelport
