#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr char kFitKeyMap[] = R"yaml(layouts:
  original:
    recognise: [stem, head]
    strip: [module.]
    renames: [{from: old, to: new}]
)yaml";

// The error for a checkpoint of `keys`, read from the dictionary `path`, and a tree of `slots`.
absl::Status ErrorOf(const std::vector<Slot>& slots, const std::vector<SeededKey>& keys, const std::string& path = "") {
  const absl::StatusOr<KeyMap> key_map = ParseKeyMap({"keymap.yaml", kFitKeyMap});
  if (!key_map.ok()) return key_map.status();
  ModuleTree tree;
  tree.slots = slots;
  const Checkpoint checkpoint = MakeHeaderCheckpoint("net.pth", keys);
  const LayoutReading reading = ReadDict(key_map->layouts[0], checkpoint, checkpoint.state_dicts()[0], path);
  return FitError("net.pth", "net", tree, Compare(reading, tree));
}

TEST(FitErrorTest, EveryGroupHasItsCountAndItsLines) {
  EXPECT_THAT(ErrorOf({{"stem", {2}, false}, {"heed", {3}, false}, {"n", {}, true, DType::kInt64}},
                      {{"stem", {4}}, {"module.stem", {2}}, {"heed1", {3}}, {"n", {}}}, "model"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "net.pth: does not fit net (layout original in dictionary model): 1 of 2 marks absent, "
                       "1 given twice, 1 of 1 rules match nothing, 1 of 3 keys missing, 1 unexpected, "
                       "1 of wrong shape, 1 of wrong dtype\n"
                       "  absent mark: no key matches head\n"
                       "  twice: stem is both stem and module.stem\n"
                       "  idle rule: keymap.yaml:5:15: old -> new\n"
                       "  missing: heed [3]; nearest in the file: heed1\n"
                       "  unexpected: heed1 [3]; nearest in the model: heed\n"
                       "  wrong shape: stem wants [2], has [4]\n"
                       "  wrong dtype: n wants int64, has float32"));
}

TEST(FitErrorTest, AGroupShowsFiveAndCountsTheOthers) {
  std::vector<Slot> slots;
  for (int i = 0; i < 7; ++i) slots.push_back({absl::StrCat("slot", i), {1}, false});
  EXPECT_THAT(ErrorOf(slots, {{"stem", {1}}, {"head", {1}}, {"old", {1}}}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::HasSubstr("  missing: slot4 [1]\n  +2 more missing\n  unexpected: stem [1]")));
}

TEST(FitErrorTest, TextOfTheFileIsPrintableAndInBrief) {
  const absl::Status error = ErrorOf({}, {{"stem", {}}, {std::string(100'000, 'x'), {}}});
  EXPECT_LT(error.message().size(), 2000);
}

class FitHintsTest : public testing::Test {
 protected:
  void SetUp() override {
    tree_.slots = {{"a.w", {2}, false}, {"a.b", {2}, false}, {"c.w", {2}, false}};
    Parse("");
  }

  // Parses a layout with the fields `rules`, each indented by four.
  void Parse(const std::string& rules) {
    ASSERT_OK_AND_ASSIGN(key_map_,
                         ParseKeyMap({"keymap.yaml", "layouts:\n  original:\n    recognise: [\"{x*}\"]\n" + rules}));
  }

  std::string Hints(const std::vector<SeededKey>& keys) {
    const Checkpoint checkpoint = MakeHeaderCheckpoint("net.pth", keys);
    const LayoutReading reading = ReadDict(key_map_.layouts[0], checkpoint, checkpoint.state_dicts()[0], "");
    return FitHints(tree_, Compare(reading, tree_));
  }

  KeyMap key_map_;
  ModuleTree tree_;
};

TEST_F(FitHintsTest, NothingIsSuggestedForACheckpointThatFits) {
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.b", {2}}, {"c.w", {2}}}), "");
}

TEST_F(FitHintsTest, APrefixOfAllUnexpectedKeysIsNamed) {
  EXPECT_EQ(Hints({{"net.a.w", {2}}, {"net.a.b", {2}}, {"net.c.w", {2}}}),
            "\n  all unexpected keys begin with net.: --prefix=net. compares with what is behind it");
  Parse("    prefix: model.\n");
  EXPECT_EQ(Hints({{"x.y.a.w", {2}}, {"x.y.a.b", {2}}}),
            "\n  all unexpected keys begin with x.y.: --prefix=x.y. compares with what is behind it");
}

TEST_F(FitHintsTest, APrefixWithoutWhichFewerThanHalfAreMissingKeysIsNotSuggested) {
  EXPECT_EQ(Hints({{"net.a.w", {2}}, {"net.x", {2}}, {"net.y", {2}}}), "");
  EXPECT_EQ(Hints({{"net.a.w", {2}}, {"other", {2}}}), "");
}

TEST_F(FitHintsTest, CountersOfBatchNormAreNamed) {
  const std::string cure =
      " of BatchNorm: list them under unused as "
      "{key: \"{path*}.num_batches_tracked\", reason: counts the batches of training}";
  const SeededKey first = {"a.num_batches_tracked", {}}, second = {"c.num_batches_tracked", {}};
  EXPECT_EQ(Hints({first, {"x", {2}}}), "\n  1 unexpected key is a counter" + cure);
  EXPECT_EQ(Hints({first, second, {"x", {2}}}), "\n  2 unexpected keys are counters" + cure);
  EXPECT_EQ(Hints({{"a.num_batches_tracked", {2}}, {"x", {2}}}), "");
}

TEST_F(FitHintsTest, QuantisedWeightsAreNamed) {
  EXPECT_EQ(
      Hints({{"a.w", {2}, DType::kFloat8E4M3}, {"a.w_scale", {}}}),
      "\n  its weights are quantised: a.w_scale scales numbers of one byte; take the file in float16, bfloat16 or "
      "float32 that it was made of");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.w_scale", {}}}), "");
  EXPECT_EQ(Hints({{"a.w", {2}, DType::kFloat8E4M3}, {"scale.w", {2}}}), "");
}

TEST_F(FitHintsTest, RulesOfUnusedThatMatchNoKeyAreListedIfKeysAreUnexpected) {
  Parse("    unused:\n      - {key: \"loss.{x}\", reason: training}\n      - {key: \"a.{x}\", reason: training}\n");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"losses.w", {2}}}),
            "\n  rules of `unused` that match no key: loss.{x} (keymap.yaml:5:9); "
            "they see keys after `prefix`, `strip` and `renames`");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.b", {2}}, {"c.w", {2}}}), "");
  // A key that is like no rule was not meant by one.
  EXPECT_EQ(Hints({{"a.w", {2}}, {"frequencies", {2}}}), "");
}

TEST_F(FitHintsTest, RulesOfMissingThatMatchNoSlotAreListedIfSlotsAreMissing) {
  Parse("    missing:\n      - {key: \"d.{x}\", reason: old}\n      - {key: \"c.{x}\", reason: old}\n");
  EXPECT_EQ(Hints({{"a.w", {2}}}), "\n  rules of `missing` that match no parameter or buffer: d.{x} (keymap.yaml:5:9)");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.b", {2}}}), "");
}

}  // namespace

}  // namespace modelport
