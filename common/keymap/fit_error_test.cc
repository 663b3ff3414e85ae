#include "common/keymap/fit_error.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr char kKeyMap[] = R"yaml(layouts:
  original:
    recognise: [stem, head]
    strip: [module.]
    renames: [{from: old, to: new}]
)yaml";

// The error for a checkpoint of `keys`, read from the dictionary `path`, and a tree of `slots`.
absl::Status ErrorOf(const std::vector<Slot>& slots, const std::vector<SeededKey>& keys, const std::string& path = "") {
  const absl::StatusOr<KeyMap> key_map = ParseKeyMap({"keymap.yaml", kKeyMap});
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

}  // namespace
}  // namespace modelport
