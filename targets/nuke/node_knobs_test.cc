#include "targets/nuke/node_knobs.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A manifest with a number from 0 to 1 for each name.
Manifest Numbers(const std::vector<std::string>& names) {
  Manifest manifest;
  for (const std::string& name : names) {
    Manifest::Knob& knob = *manifest.add_knobs();
    knob.set_name(name);
    knob.set_type("float");
    knob.set_value(0.25);
    knob.set_min(0);
    knob.set_max(1);
    knob.set_help("Where");
  }
  return manifest;
}

TEST(NodeKnobsTest, NumbersOfAPointOrABoxAreOneKnob) {
  const Manifest manifest =
      Numbers({"eye_x", "eye_y", "strength", "box_left", "box_right", "box_bottom", "box_top", "mouth_x"});
  const std::vector<PlaceKnob> places = PlaceKnobs(manifest);
  ASSERT_EQ(places.size(), 2);
  EXPECT_EQ(places[0].name, "eye");
  EXPECT_THAT(places[0].parts, ElementsAre("eye_x", "eye_y"));
  EXPECT_EQ(places[1].name, "box_area");
  EXPECT_THAT(places[1].parts, ElementsAre("box_left", "box_bottom", "box_right", "box_top"));
  const std::string lines = KnobLines(manifest);
  EXPECT_THAT(lines, HasSubstr(" addUserKnob {12 eye l \"eye\" t "));
  EXPECT_THAT(lines, HasSubstr("\n eye {480 270}\n"));
  EXPECT_THAT(lines, HasSubstr("\n box_area {480 270 480 270}\n"));
  EXPECT_THAT(lines, HasSubstr(" addUserKnob {7 strength l \"strength\" t \"Where\" R 0 1}\n strength 0.25\n"));
  EXPECT_THAT(lines, HasSubstr(" addUserKnob {7 mouth_x "));
  const std::string links = KnobLinks(manifest);
  EXPECT_THAT(links, HasSubstr("eye_y:{\"min(1, max(0, (parent.eye.y - WholeFormat.box.y) / input.height))\"};"));
  EXPECT_THAT(links,
              HasSubstr("box_right:{\"min(1, max(0, (parent.box_area.r - WholeFormat.box.x) / input.width))\"};"));
  EXPECT_THAT(links, HasSubstr("strength:{\"min(1, max(0, parent.strength))\"};"));
}

TEST(NodeKnobsTest, SecondAndLaterPointsAreInAGroup) {
  Manifest manifest = Numbers({"point_1_x", "point_1_y", "point_2_is", "point_2_x", "point_2_y", "point_3_is", "hard"});
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(KnobLines(manifest), '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    if (words[1] == "addUserKnob") names.push_back(absl::StrCat(words[2], words[3]));
  }
  EXPECT_THAT(names, ElementsAre("{12point_1", "{20more_points", "{7point_2_is", "{12point_2", "{7point_3_is",
                                 "{20end_more_points", "{7hard"));
  EXPECT_THAT(KnobLines(manifest), HasSubstr(" addUserKnob {20 more_points l \"more points\" n 1}\n more_points 0\n"));
}

TEST(NodeKnobsTest, NumbersOfAnotherRangeAreNoPlace) {
  Manifest manifest = Numbers({"eye_x", "eye_y"});
  manifest.mutable_knobs(1)->set_max(2);
  EXPECT_THAT(PlaceKnobs(manifest), IsEmpty());
}

TEST(NodeKnobsTest, ANameThatTheNodeHasIsRefused) {
  const auto is_own = [](const std::string& name) { return name == "label"; };
  EXPECT_OK(CheckKnobNames(Numbers({"eye_x", "eye_y", "eyes"}), is_own));
  EXPECT_THAT(CheckKnobNames(Numbers({"label"}), is_own),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the attribute label of the wrapper")));
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"label_x", "label_y"}, {"eye", "eye_x", "eye_y"}}) {
    EXPECT_THAT(CheckKnobNames(Numbers(names), is_own),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has one of this name: give them others")));
  }
}

}  // namespace
}  // namespace modelport
