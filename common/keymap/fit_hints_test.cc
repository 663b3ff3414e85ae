#include "common/keymap/fit_hints.h"

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

TEST_F(FitHintsTest, APrefixOfAllUnexpectedKeysIsSuggestedAsPrefix) {
  EXPECT_EQ(Hints({{"net.a.w", {2}}, {"net.a.b", {2}}, {"net.c.w", {2}}}),
            "\n  all unexpected keys begin with \"net.\": write `prefix: net.` in layout original");
}

TEST_F(FitHintsTest, ASecondPrefixIsSuggestedForStrip) {
  Parse("    prefix: model.\n");
  EXPECT_EQ(Hints({{"x.y.a.w", {2}}, {"x.y.a.b", {2}}}),
            "\n  all unexpected keys begin with \"x.y.\": add \"x.y.\" to `strip` in layout original");
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

TEST_F(FitHintsTest, RulesOfUnusedThatMatchNoKeyAreListedIfKeysAreUnexpected) {
  Parse("    unused:\n      - {key: \"loss.{x}\", reason: training}\n      - {key: \"a.{x}\", reason: training}\n");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"losses.w", {2}}}),
            "\n  rules of `unused` that match no key: loss.{x} (keymap.yaml:5:9); "
            "they see keys after `prefix`, `strip` and `renames`");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.b", {2}}, {"c.w", {2}}}), "");
}

TEST_F(FitHintsTest, RulesOfMissingThatMatchNoSlotAreListedIfSlotsAreMissing) {
  Parse("    missing:\n      - {key: \"d.{x}\", reason: old}\n      - {key: \"c.{x}\", reason: old}\n");
  EXPECT_EQ(Hints({{"a.w", {2}}}), "\n  rules of `missing` that match no parameter or buffer: d.{x} (keymap.yaml:5:9)");
  EXPECT_EQ(Hints({{"a.w", {2}}, {"a.b", {2}}}), "");
}

}  // namespace
}  // namespace modelport
