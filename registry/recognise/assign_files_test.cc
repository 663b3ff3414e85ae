#include "registry/recognise/assign_files.h"

#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

// Parts `left` and `right` of a variant, each with a slot `weight`; any file with a key `weight` is recognised.
class AssignFilesTest : public testing::Test {
 protected:
  WeightPart Part(size_t file, const Shape& shape) {
    ModuleTree tree;
    tree.slots.push_back({"weight", shape});
    return {&variant_.files[file], &key_map_, std::move(tree)};
  }

  // A file that fits a part of this shape.
  static GivenCheckpoint File(const std::string& path, const Shape& shape) {
    return {MakeHeaderCheckpoint(path, std::vector<SeededKey>{{"weight", shape}}), {}};
  }

  static Variant TwoFiles() {
    Variant variant;
    variant.name = "v";
    variant.files.resize(2);
    variant.files[0].part = "left";
    variant.files[0].name = "l.pth";
    variant.files[1].part = "right";
    variant.files[1].name = "r.pth";
    return variant;
  }

  const Variant variant_ = TwoFiles();
  const KeyMap key_map_ = ParseKeyMap({"k.yaml", "layouts: {original: {recognise: [weight]}}\n"}).value();
};

TEST_F(AssignFilesTest, ShapesTellWhatAFileFills) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {3}));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("a", {2}), File("b", {3})}), ElementsAre(0, 1));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("b", {3}), File("a", {2})}), ElementsAre(1, 0));
}

TEST_F(AssignFilesTest, TheOrderTellsWhereKeysAndShapesDoNot) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {2}));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("a", {2}), File("b", {2})}), ElementsAre(0, 1));
}

TEST_F(AssignFilesTest, NamesOfPublishedFilesTellBeforeTheOrder) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {2}));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("d/r.pth", {2}), File("d/l.pth", {2})}), ElementsAre(1, 0));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("a", {2}), File("l.pth", {2})}), ElementsAre(1, 0));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("r.pth", {2})}), ElementsAre(1));
}

TEST_F(AssignFilesTest, ANameTellsNothingOfAFileThatDoesNotFit) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {3}));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("r.pth", {2}), File("l.pth", {3})}), ElementsAre(0, 1));
}

// The second file fits neither part and gets the one that is left.
TEST_F(AssignFilesTest, AFileThatFitsNothingGetsAFreePart) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {3}));
  EXPECT_THAT(*AssignFiles(variant_, parts, {File("a", {3}), File("b", {4})}), ElementsAre(1, 0));
}

TEST_F(AssignFilesTest, TwoFilesForOnePartAreRefused) {
  std::vector<WeightPart> parts;
  parts.push_back(Part(0, {2}));
  parts.push_back(Part(1, {3}));
  EXPECT_THAT(AssignFiles(variant_, parts, {File("a", {2}), File("b", {2})}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "b: fills left of v, as a does\n"
                       "  leave one of them out; the parts are left (l.pth), right (r.pth)"));
}

}  // namespace
}  // namespace modelport
