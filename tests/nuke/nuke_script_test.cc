// The reader of Nuke's scripts: forms that public gizmos have, and the faults that it finds.
#include "tests/nuke/nuke_script.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<NukeWord>& words) {
  std::vector<std::string> texts;
  for (const NukeWord& word : words) texts.push_back(word.text);
  return texts;
}

// A gizmo with these lines of knobs and these nodes between its input and its output.
NukeScript Read(const std::string& knobs, const std::string& nodes = "") {
  return ReadNukeScript(absl::StrCat("Gizmo {\n name a\n", knobs, "}\n Input {\n  inputs 0\n  name Input1\n }\n", nodes,
                                     " Output {\n  name Output1\n }\nend_group\n"));
}

TEST(NukeScriptTest, WordsAreBareQuotedOrInBraces) {
  EXPECT_THAT(Texts(NukeWords(R"(a "b \"c\" \[d]" {e {f g} \{} -1.5)")),
              ElementsAre("a", R"(b "c" [d])", R"(e {f g} \{)", "-1.5"));
  EXPECT_TRUE(NukeWords("{a}")[0].is_braced);
  EXPECT_FALSE(NukeWords("\"{a}\"")[0].is_braced);
  EXPECT_EQ(NukeWords(R"("a\nb")")[0].text, "a\nb");
}

TEST(NukeScriptTest, NodesTakeTheirImagesFromTheStack) {
  const NukeScript script = Read("",
                                 "set N1 [stack 0]\n FrameHold {\n  firstFrame 3\n  name Held\n }\npush $N1\npush 0\n"
                                 " Keymix {\n  inputs 3\n  name Mixed\n }\n");
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_THAT(script.order, ElementsAre("Input1", "Held", "Mixed", "Output1"));
  EXPECT_THAT(script.nodes.at("Mixed").inputs, ElementsAre("", "Input1", "Held"));
  EXPECT_THAT(script.stack, ElementsAre("Output1"));
}

TEST(NukeScriptTest, UserKnobsHaveTypesFlagsAndValues) {
  const NukeScript script = Read(
      " addUserKnob {20 Tab l \"A tab\"}\n addUserKnob {4 mode l \"\" t \"a {b}\" -STARTLINE M {one \"two three\" "
      "\"\"}}\n"
      " mode \"two three\"\n addUserKnob {7 speed R -1 1}\n speed {{root.first_frame}}\n addUserKnob {12 place}\n"
      " place {960 {frame/2}}\n addUserKnob {15 area}\n area {0 0 100 50}\n addUserKnob {6 on +STARTLINE +DISABLED}\n"
      " on true\n");
  EXPECT_THAT(script.faults, IsEmpty());
  const NukeUserKnob& mode = script.gizmo.user_knobs.at("mode");
  EXPECT_EQ(mode.type, 4);
  EXPECT_EQ(mode.help, "a {b}");
  EXPECT_THAT(mode.choices, ElementsAre("one", "two three", ""));
  EXPECT_EQ(script.gizmo.values.at("place").text, "960 {frame/2}");
}

// Forms that public gizmos have.
TEST(NukeScriptTest, FormsOfPublicGizmosAreRead) {
  const NukeScript script = Read(
      " label <center>rgba\n onCreate \"n = nuke.thisNode()\nn\\\[\\\"a\\\"].setValue(1)\"\n addUserKnob {26 \"\"}\n"
      " addUserKnob {26 \"\" +STARTLINE}\n addUserKnob {20 more n 1}\n more 0\n addUserKnob {20 end n -1}\n"
      " addUserKnob {22 run l Reset -STARTLINE T \"a()\\nb()\"}\n addUserKnob {41 filter T Moved.filter}\n"
      " addUserKnob {7 x l X t \"\" +HIDDEN R 0 1000}\n x {{parent.y x65 1 1}}\n",
      "# a comment\n\tDot2 {\n }\npush 0\n Copy {\r\n  inputs 2\n  from0 -rgba.alpha\n  to0 -rgba.alpha\n  name \"a "
      "copy\"\n }\n");
  EXPECT_THAT(script.faults,
              ElementsAre("Dot2: is an unknown class", "Dot2: has no name", "filter: there is no knob Moved.filter"));
  EXPECT_EQ(script.gizmo.values.at("label").text, "<center>rgba");
  EXPECT_EQ(script.gizmo.values.at("onCreate").text, "n = nuke.thisNode()\nn[\"a\"].setValue(1)");
  EXPECT_EQ(script.nodes.at("a copy").inputs.size(), 2);
}

TEST(NukeScriptTest, ClassesAndClonesOfPublicGizmosAreRead) {
  const NukeScript script =
      Read(" addUserKnob {41 off l Off T Turned.disable}\n",
           " Dot {\n  name Dot1\n }\nset N1 [stack 0]\n BackdropNode {\n  inputs 0\n  name Note\n  bdwidth 200\n }\n"
           " Invert {\n  channels depth\n  name Turned\n  disable true\n }\nset C1 [stack 0]\npush $N1\n"
           "clone $C1 {\n  xpos 3\n }\n Merge2 {\n  inputs 2\n  operation plus\n  name Both\n }\n"
           " Crop {\n  box {0 0 {Dot1.width} {\"Dot1.height / 2\"}}\n  name Half\n }\n");
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_THAT(script.stack, ElementsAre("Output1"));
  EXPECT_EQ(script.nodes.at("Turned clone 1").type, "Invert");
  EXPECT_EQ(script.nodes.at("Turned clone 1").values.at("channels").text, "depth");
  EXPECT_THAT(script.nodes.at("Turned clone 1").inputs, ElementsAre("Dot1"));
  EXPECT_THAT(script.nodes.at("Both").inputs, ElementsAre("Turned clone 1", "Turned"));
  EXPECT_THAT(Read("", "clone $C7 {\n  xpos 3\n }\n").faults, ElementsAre("clone $C7: of no node"));
}

TEST(NukeScriptTest, FaultsAreFound) {
  const struct {
    std::string knobs, nodes, fault;
  } cases[] = {
      {" label {a\n", "", "braces or quotes that do not end a word"},
      {"", " Crop {\n  label \"a\n  name C\n }\n", "Crop: has braces or quotes that do not end a word"},
      {" addUserKnob {7 a t \"b \"c\" d\"}\n", "", "addUserKnob: has braces or quotes"},
      {" addUserKnob {7 a x 1}\n", "", "a: x is no option of a knob"},
      {" addUserKnob {7 a lt b}\n", "", "a: lt is no option of a knob"},
      {" addUserKnob {41 a T Moved.filter}\n", "", "a: there is no knob Moved.filter"},
      {"", " Transform {\n  filter {{Input1.filter}}\n  name T\n }\n", "T.filter: there is no knob Input1.filter"},
      {"", " Expression {\n  expr0 \"depth.Z * parent.gain\"\n  name E\n }\n", "E.expr0: there is no knob parent.gain"},
      {" addUserKnob {7 gain}\n", " Inference {\n  serialiseKnob {gain:{\"min(1, parent.gains)\"};}\n  name I\n }\n",
       "I.serialiseKnob: there is no knob parent.gains"},
      {"", " Transform {\n  filter sharpest\n  name T\n }\n", "Transform: sharpest is no filter"},
      {"", " Crop {\n  crop maybe\n  name C\n }\n", "Crop: maybe is no crop"},
      {" addUserKnob {7 a}\n addUserKnob {7 a}\n", "", "two a"},
      {" addUserKnob {4 a M {b c}}\n a d\n", "", "a: d is none of its values"},
      {" addUserKnob {6 a}\n a 2\n", "", "a: 2 is none of its values"},
      {" addUserKnob {3 a}\n a 0.5\n", "", "a: 0.5 is none of its values"},
      {" addUserKnob {7 a}\n a true\n", "", "a: true is none of its values"},
      {" addUserKnob {12 a}\n a {1 2 3}\n", "", "a: 1 2 3 is none of its values"},
      {" addUserKnob {15 a}\n a {1 2}\n", "", "a: 1 2 is none of its values"},
      {" addUserKnob {7 a l}\n", "", "a: l has no value"},
      {" addUserKnob a\n", "", "has no type or name"},
      {"", " Keymix {\n  maskChannelInput mask.a\n  name K\n }\n", "Keymix: has no knob maskChannelInput"},
      {"", " FrameHold {\n  first_frame 3\n  name H\n }\n", "FrameHold: has no knob first_frame"},
      {"", " Copy {\n  name C\n }\n", "Copy: wants inputs 2, has 1"},
      {"", " Keymixer {\n  name K\n }\n", "Keymixer: is an unknown class"},
      {"", " Crop {\n  xpos 1 2\n  name C\n }\n", "Crop: xpos has more than one value"},
      {"", " Crop {\n  name Input1\n }\n", "Input1: is there twice"},
      {"", " Crop {\n  xpos 1\n }\n", "Crop: has no name"},
      {"", " Copy {\n  inputs 2\n  name C\n }\n", "Copy: there is no image for it"},
      {"", "push $N7\n", "push $N7: is not set"},
      {"", "push 0\n Copy {\n  inputs 2\n  to0 matte.alpha\n  name C\n }\n",
       "Copy: no layer has the channel matte.alpha"},
  };
  for (const auto& [knobs, nodes, fault] : cases) {
    EXPECT_THAT(Read(knobs, nodes).faults, testing::Contains(HasSubstr(fault))) << knobs << nodes;
  }
  EXPECT_THAT(Read(" addUserKnob {12 eye}\n addUserKnob {7 input_last}\n",
                   " Expression {\n  expr0 \"parent.eye.x + parent.input_last\"\n  name E\n"
                   "  disable {{\"!\\[exists parent.input1]\"}}\n }\n")
                  .faults,
              IsEmpty());
  EXPECT_THAT(
      Read("", "add_layer {matte matte.alpha}\npush 0\n Copy {\n  inputs 2\n  to0 matte.alpha\n  name C\n }\n").faults,
      IsEmpty());
}

}  // namespace
}  // namespace modelport
