#include "targets/nuke/package_files.h"

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/nuke/nuke_script.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void AddKnob(const char* name, const char* type, double value, double min, double max, const char* help,
             Manifest& manifest) {
  Manifest::Knob& knob = *manifest.add_knobs();
  knob.set_name(name);
  knob.set_type(type);
  knob.set_value(value);
  knob.set_min(min);
  knob.set_max(max);
  knob.set_help(help);
}

// A depth model with an int and a float knob.
class PackageFilesTest : public testing::Test {
 protected:
  PackageFilesTest() {
    manifest_.set_family_summary("Depth from one image");
    manifest_.set_summary("relative depth, \"large\"");
    manifest_.set_weights_licence("Apache-2.0");
    manifest_.set_weights_url("https://example.org/tiny.pth");
    manifest_.mutable_request()->set_model("tiny");
    manifest_.mutable_weights()->add_checkpoints()->set_source("sha256:1234");
    manifest_.set_minimum_runtime("1.12");
    SetInterface("depth", {"rgba.red", "rgba.green", "rgba.blue"}, {"depth.Z"}, "Depth Estimation");
    AddKnob("max_size", "int", 1036, 14, 100000, "Longest side", manifest_);
    AddKnob("near", "float", 0.25, -1, 2.5, "Say \"near\" | {x [y $z \\ w\nend.", manifest_);
  }

  void SetInterface(const char* kind, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    const char* category) {
    Manifest::Interface& interface = *manifest_.mutable_interface();
    interface.set_kind(kind);
    interface.set_category(category);
    interface.set_multiple_of(1);
    interface.clear_channels_in();
    interface.clear_channels_out();
    for (const std::string& channel : inputs) interface.add_channels_in(channel);
    for (const std::string& channel : outputs) interface.add_channels_out(channel);
  }

  void SetFrames(const std::vector<int>& frames) {
    for (const int frame : frames) manifest_.mutable_interface()->add_frames(frame);
  }

  // An entry point forward, the only one.
  Manifest::EntryPoint* SetForward() {
    manifest_.clear_entry_points();
    Manifest::EntryPoint* const forward = manifest_.add_entry_points();
    forward->set_method("forward");
    return forward;
  }

  absl::StatusOr<std::vector<PackageFile>> Files() const { return NukePackageFiles(manifest_, ""); }

  // By name.
  std::map<std::string, std::string> Texts() const {
    std::map<std::string, std::string> texts;
    const auto files = Files();
    EXPECT_OK(files);
    if (!files.ok()) return texts;
    for (const PackageFile& file : *files) texts[file.name] = file.text;
    return texts;
  }

  Manifest manifest_;
};

// Whether brackets of Python come in pairs, but for those in strings.
bool IsBalanced(const std::string& text) {
  const std::string brackets = "()[]{}";
  std::string open;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (const size_t kind = brackets.find(text[i]); kind != brackets.npos && !in_string) {
      if (kind % 2 == 0) {
        open.push_back(brackets[kind + 1]);
      } else if (open.empty() || open.back() != text[i]) {
        return false;
      } else {
        open.pop_back();
      }
    }
  }
  return open.empty() && !in_string;
}

TEST_F(PackageFilesTest, AreNamedAfterTheModel) {
  std::vector<std::string> names;
  for (const auto& [name, text] : Texts()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("README.md", "cat.json", "convert.py", "init.py", "menu.py", "tiny.gizmo", "tiny.png",
                                 "tiny@2x.png", "tiny_CatFileCreator.nk"));
}

TEST_F(PackageFilesTest, HoldNoPlaceholder) {
  const std::regex placeholder("@\\w+@|@each|@end");
  for (const auto& [name, text] : Texts()) {
    if (absl::EndsWith(name, ".png")) continue;
    EXPECT_FALSE(std::regex_search(text, placeholder)) << name << ":\n" << text;
    EXPECT_TRUE(absl::EndsWith(text, "\n")) << name;
  }
}

TEST_F(PackageFilesTest, IconsArePngs) {
  auto texts = Texts();
  for (const char* name : {"tiny.png", "tiny@2x.png"}) {
    EXPECT_EQ(texts[name].substr(0, 8), "\x89PNG\r\n\x1a\n") << name;
    EXPECT_EQ(texts[name].substr(texts[name].size() - 8, 4), "IEND") << name;
  }
}

TEST_F(PackageFilesTest, BracketsComeInPairs) {
  auto texts = Texts();
  for (const char* name : {"tiny.gizmo", "tiny_CatFileCreator.nk"}) {
    EXPECT_THAT(ReadNukeScript(texts[name]).faults, IsEmpty());
  }
  for (const char* name : {"convert.py", "init.py", "menu.py"}) {
    EXPECT_TRUE(IsBalanced(texts[name])) << texts[name];
  }
}

TEST_F(PackageFilesTest, CatJsonNamesFilesOfThePackage) {
  auto texts = Texts();
  const auto json = nlohmann::json::parse(texts["cat.json"], nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(json.is_object()) << texts["cat.json"];
  EXPECT_EQ(json["minimum_nuke_version_required"], 14.0);
  EXPECT_EQ(json["category"], "Depth Estimation");
  EXPECT_THAT(json["description"].get<std::string>(), HasSubstr("relative depth, \"large\""));
  ASSERT_EQ(json["cats"].size(), 1);
  for (const char* field : {"filepath", "icon"}) EXPECT_EQ(texts.count(json["cats"][0][field]), 1) << field;
}

TEST_F(PackageFilesTest, TheScriptDefinesTheKnobsOfTheManifest) {
  const std::string script = Texts()["tiny_CatFileCreator.nk"];
  EXPECT_THAT(
      script,
      HasSubstr(" addUserKnob {3 max_size l \"max size\" t \"Longest side (14 to 100000)\"}\n max_size 1036\n"));
  EXPECT_THAT(script, HasSubstr(" addUserKnob {7 near l \"near\" t \"Say \\\"near\\\" | \\{x \\[y \\$z \\\\ w\\nend.\" "
                                "R -1 2.5}\n near 0.25\n"));
  EXPECT_THAT(script, HasSubstr("/tiny.pt\"\n"));
  EXPECT_THAT(script, HasSubstr("/tiny.cat\"\n"));
  EXPECT_THAT(script, HasSubstr("\n channelsOut depth.Z\n"));
}

TEST_F(PackageFilesTest, TheGizmoPassesItsKnobsOnWithinTheirRange) {
  const std::string gizmo = Texts()["tiny.gizmo"];
  EXPECT_THAT(gizmo, HasSubstr("serialiseKnob {max_size:{\"min(100000, max(14, parent.max_size))\"};"
                               "near:{\"min(2.5, max(-1, parent.near))\"};}"));
  EXPECT_THAT(gizmo, HasSubstr("\n max_size 1036\n"));
  EXPECT_THAT(gizmo, HasSubstr("\n near 0.25\n"));
  EXPECT_THAT(gizmo, HasSubstr("  from0 depth.Z\n  to0 depth.Z\n  bbox B\n  name Copy1"));
}

TEST_F(PackageFilesTest, ChoicesAreAPulldownAndWhatIsOnOrOffACheckbox) {
  AddKnob("convention", "int", 1, 0, 2, "Which \"way\"", manifest_);
  Manifest::Knob& convention = *manifest_.mutable_knobs(manifest_.knobs_size() - 1);
  for (const char* choice : {"the model's own", "larger [nearer]", "farther"}) convention.add_choices(choice);
  AddKnob("normalize", "int", 1, 0, 1, "Stretches", manifest_);
  auto texts = Texts();
  EXPECT_THAT(texts["tiny.gizmo"],
              AllOf(HasSubstr("\n addUserKnob {4 convention l \"convention\" t \"Which \\\"way\\\"\" "
                              "M {\"the model's own\" \"larger \\[nearer]\" \"farther\"}}\n"
                              " convention \"larger \\[nearer]\"\n"),
                    HasSubstr("\n addUserKnob {6 normalize l \"normalize\" t \"Stretches\" +STARTLINE}\n"
                              " normalize true\n"),
                    HasSubstr("convention:{\"min(2, max(0, parent.convention))\"};"
                              "normalize:{\"min(1, max(0, parent.normalize))\"};")));
  // Of a CatFileCreator they are the attributes themselves.
  EXPECT_THAT(texts["tiny_CatFileCreator.nk"],
              AllOf(HasSubstr("addUserKnob {3 convention "), HasSubstr(" convention 1\n"),
                    HasSubstr("addUserKnob {3 normalize ")));
  EXPECT_THAT(texts["README.md"], HasSubstr("Choices with names are a pulldown there"));
}

TEST_F(PackageFilesTest, AModelWithoutKnobsHasNone) {
  manifest_.clear_knobs();
  auto texts = Texts();
  EXPECT_THAT(texts["tiny.gizmo"], HasSubstr("serialiseKnob {}"));
  EXPECT_THAT(texts["tiny_CatFileCreator.nk"], Not(HasSubstr("addUserKnob {3")));
  EXPECT_THAT(texts["README.md"], HasSubstr("This model has none of its own."));
  for (const char* text : {"| knob |", "knobs named below", "passes each on"}) {
    EXPECT_THAT(texts["README.md"], Not(HasSubstr(text)));
  }
}

TEST_F(PackageFilesTest, FeaturesGetALayerAndReplaceThePlateOnlyOnDemand) {
  SetInterface("features", {"rgba.red", "rgba.green", "rgba.blue"},
               {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"}, "Features");
  auto texts = Texts();
  const std::string& gizmo = texts["tiny.gizmo"];
  EXPECT_THAT(texts["tiny_CatFileCreator.nk"], HasSubstr("channelsOut rgba.red,rgba.green,rgba.blue,rgba.alpha\n"));
  EXPECT_THAT(gizmo, HasSubstr("\nadd_layer {features features.red features.green features.blue features.alpha}\n"));
  EXPECT_THAT(gizmo, HasSubstr("  from0 rgba.red\n  to0 features.red\n"));
  EXPECT_THAT(gizmo, HasSubstr("  from3 rgba.alpha\n  to3 features.alpha\n  bbox B\n  name Copy1\n"));
  EXPECT_THAT(gizmo, HasSubstr("  from3 rgba.alpha\n  to3 rgba.alpha\n  bbox B\n  name ReplaceRgba\n"));
  EXPECT_THAT(gizmo, HasSubstr("disable {{\"1 - parent.replace_rgba\"}}\n"));
  EXPECT_THAT(gizmo, HasSubstr(" addUserKnob {6 replace_rgba "));
  EXPECT_THAT(ReadNukeScript(gizmo).faults, IsEmpty());
  EXPECT_THAT(texts["cat.json"], HasSubstr("\"Features\""));
  EXPECT_THAT(texts["README.md"],
              AllOf(HasSubstr("- Out: `rgba.red,rgba.green,rgba.blue,rgba.alpha`, features, of the size"),
                    HasSubstr("`features.red features.green features.blue features.alpha`, and leaves all channels")));
}

TEST_F(PackageFilesTest, DepthHasALayerInNukeAndColourIsTheImage) {
  EXPECT_THAT(Texts()["tiny.gizmo"], Not(HasSubstr("add_layer")));
  EXPECT_THAT(Texts()["tiny.gizmo"], Not(HasSubstr("replace_rgba")));
  SetInterface("colour", {"rgba.red", "rgba.green", "rgba.blue"}, {"rgba.red", "rgba.green", "rgba.blue"}, "Denoise");
  EXPECT_THAT(Texts()["tiny.gizmo"], Not(HasSubstr("add_layer")));
}

TEST_F(PackageFilesTest, EachKindOfOutputHasAnIconOfItsOwn) {
  std::set<std::string> icons;
  for (const char* kind : {"depth", "features", "matte", "colour"}) {
    for (const char* warning : {"", "SEEDED weights: predicts nothing"}) {
      manifest_.mutable_interface()->set_kind(kind);
      manifest_.set_warning(warning);
      auto texts = Texts();
      for (const char* name : {"tiny.png", "tiny@2x.png"}) {
        EXPECT_EQ(texts[name].substr(0, 8), "\x89PNG\r\n\x1a\n") << kind;
        icons.insert(texts[name]);
      }
    }
  }
  EXPECT_THAT(icons, testing::SizeIs(16));
}

TEST_F(PackageFilesTest, PeopleReadTheTitleAndTheVersion) {
  manifest_.set_title("Tiny 2 S/14");
  manifest_.set_modelport_version("0.1.0");
  manifest_.mutable_artifact()->set_sha256("0123456789abcdef");
  auto texts = Texts();
  EXPECT_THAT(texts["README.md"], testing::StartsWith("# Tiny 2 S/14 for Nuke\n"));
  EXPECT_THAT(texts["README.md"], HasSubstr("**0.1.0-01234567**"));
  EXPECT_THAT(texts["tiny.gizmo"], HasSubstr(" addUserKnob {20 tiny l \"Tiny 2 S-14\"}\n"));
  EXPECT_THAT(texts["tiny.gizmo"], HasSubstr("T \"Version 0.1.0-01234567\"}\n"));
  EXPECT_THAT(texts["menu.py"], HasSubstr("/Tiny 2 S-14\", 'nuke.createNode(\"tiny\")'"));
  EXPECT_THAT(texts["cat.json"], HasSubstr("\"name\": \"Tiny 2 S-14\""));
}

TEST_F(PackageFilesTest, SeededWeightsAreNamedWhereverAnArtistLooks) {
  for (const auto& [name, text] : Texts()) EXPECT_THAT(text, Not(HasSubstr("SEEDED"))) << name;
  manifest_.set_warning("SEEDED weights: predicts nothing");
  auto texts = Texts();
  EXPECT_THAT(texts["tiny.gizmo"], AllOf(HasSubstr("\n label \"SEEDED: predicts nothing\"\n"),
                                         HasSubstr(" addUserKnob {20 tiny l \"tiny SEEDED\"}\n")));
  EXPECT_THAT(texts["menu.py"], HasSubstr("/tiny SEEDED\", 'nuke.createNode(\"tiny\")'"));
  EXPECT_THAT(texts["cat.json"], AllOf(HasSubstr("\"name\": \"tiny SEEDED\""),
                                       HasSubstr("\"description\": \"SEEDED weights, which predict nothing. ")));
  EXPECT_THAT(texts["README.md"], HasSubstr("**SEEDED: the weights are made up by rule"));
}

TEST_F(PackageFilesTest, TheReadmeSaysWhatToDeployAndWhatToSendWithAFault) {
  const std::string readme = Texts()["README.md"];
  EXPECT_THAT(
      readme,
      AllOf(HasSubstr("`tiny.cat`, `tiny.gizmo`, `cat.json`, `tiny.png`,\n`tiny@2x.png`, `init.py`, `menu.py`."),
            HasSubstr("\n    sha256sum --check tiny.cat.sha256\n"),
            HasSubstr("Send with a report of a fault: `tiny.manifest.json`")));
}

TEST_F(PackageFilesTest, TheOriginOfTheWeightsIsSaid) {
  manifest_.mutable_weights()->mutable_checkpoints(0)->set_source("sha256:0a1b");
  manifest_.mutable_weights()->mutable_checkpoints(0)->set_published("no");
  auto texts = Texts();
  EXPECT_THAT(texts["README.md"], HasSubstr("- source of this artifact: sha256:0a1b, not the published file\n"));
  EXPECT_THAT(texts["tiny.gizmo"], HasSubstr("T \"Weights: sha256:0a1b, not the published file\"}\n"));
}

// The nodes of a gizmo, each with the images that it takes.
std::vector<std::string> Stacks(const std::string& gizmo) {
  const NukeScript script = ReadNukeScript(gizmo);
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_THAT(script.stack, ElementsAre("Output1"));
  std::vector<std::string> nodes;
  for (const std::string& name : script.order) {
    nodes.push_back(absl::StrCat(name, ": ", absl::StrJoin(script.nodes.at(name).inputs, " ")));
  }
  return nodes;
}

TEST_F(PackageFilesTest, AMatteIsAlphaAndTakesTheTrimapThere) {
  SetInterface("matte", {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"}, {"rgba.alpha"}, "Segmentation");
  SetForward()->add_inputs()->set_help("Alpha takes the trimap");
  auto texts = Texts();
  EXPECT_THAT(texts["tiny_CatFileCreator.nk"], HasSubstr("\n channelsIn rgba.red,rgba.green,rgba.blue,rgba.alpha\n"
                                                         " channelsOut rgba.alpha\n"));
  EXPECT_THAT(texts["tiny.gizmo"],
              AllOf(HasSubstr("  from0 rgba.alpha\n  to0 matte.alpha\n  bbox B\n  name Copy1"),
                    HasSubstr("  from0 rgba.alpha\n  to0 rgba.alpha\n  bbox B\n  name ReplaceRgba")));
  const std::vector<std::string> stacks = Stacks(texts["tiny.gizmo"]);
  EXPECT_THAT(std::vector<std::string>(stacks.end() - 5, stacks.end()),
              ElementsAre("Copy1: NukeVersion BackToPlate", "ReplaceRgba: Copy1 BackToPlate", "Preview: ReplaceRgba",
                          "Premultiply: Preview", "Output1: Premultiply"));
  EXPECT_THAT(texts["tiny.gizmo"],
              AllOf(HasSubstr("disable {{\"1 - max(parent.replace_rgba, parent.premultiply)\"}}"),
                    HasSubstr("T \"Alpha takes the trimap\"}"), Not(HasSubstr("parent.show_trimap"))));
  // On the first tab, too.
  EXPECT_EQ(ReadNukeScript(texts["tiny.gizmo"]).gizmo.user_knobs.at("aside_help").text, "Alpha takes the trimap");
  EXPECT_LT(texts["tiny.gizmo"].find("{26 aside_help "), texts["tiny.gizmo"].find("{20 info "));
  EXPECT_THAT(texts["cat.json"], HasSubstr("\"Segmentation\""));
  EXPECT_THAT(texts["menu.py"], HasSubstr("Cattery/Segmentation/tiny"));
  EXPECT_THAT(texts["README.md"],
              AllOf(HasSubstr("| Channels In | `rgba.red,rgba.green,rgba.blue,rgba.alpha` |"),
                    HasSubstr("- Out: `rgba.alpha`, a matte, of the size"), HasSubstr("- Alpha takes the trimap.\n")));
  for (const auto& [name, text] : texts) EXPECT_THAT(text, Not(HasSubstr("depth.Z"))) << name;
}

TEST_F(PackageFilesTest, ANodeForTwoImagesTakesTwoFramesOfItsInput) {
  const std::vector<std::string> rgb = {"rgba.red", "rgba.green", "rgba.blue"};
  SetInterface("colour", {"rgba.red", "rgba.green", "rgba.blue", "forward.u", "forward.v", "backward.u"}, rgb,
               "Optical Flow");
  SetFrames({0, 1});
  AddKnob("timestep", "float", 0.5, 0, 1, "When the image is", manifest_);
  auto texts = Texts();
  const std::string& gizmo = texts["tiny.gizmo"];
  // Of a node with two inputs the first, on top of the stack, is B: the picture that gets channels of A.
  EXPECT_THAT(Stacks(gizmo),
              ElementsAre("Input1: ", "NukeVersion: Input1", "Frame2: NukeVersion", "Frame2OnBlack: Frame2",
                          "Frame2Format: Frame2OnBlack", "Frame2ToSRGB: Frame2Format", "FirstFrame: NukeVersion",
                          "OnBlack: FirstFrame", "WholeFormat: OnBlack", "LinearToSRGB: WholeFormat",
                          "AddFrame2: LinearToSRGB Frame2ToSRGB", "Inference1: AddFrame2", "SRGBToLinear: Inference1",
                          "BackToPlate: SRGBToLinear", "Copy1: FirstFrame BackToPlate", "Output1: Copy1"));
  EXPECT_THAT(gizmo, HasSubstr("  from0 rgba.red\n  to0 forward.u\n  from1 rgba.green\n  to1 forward.v\n"
                               "  from2 rgba.blue\n  to2 backward.u\n  name AddFrame2"));
  EXPECT_THAT(gizmo, HasSubstr("timestep:{\"parent.shown_frame - floor(parent.shown_frame)\"};}"));
  EXPECT_THAT(gizmo, AllOf(HasSubstr("addUserKnob {7 source_frame "), HasSubstr("\n speed 0.5\n"),
                           Not(HasSubstr("addUserKnob {7 timestep "))));
  EXPECT_THAT(ReadNukeScript(gizmo).faults, IsEmpty());
  EXPECT_THAT(texts["tiny_CatFileCreator.nk"], HasSubstr("addUserKnob {7 timestep "));
  EXPECT_THAT(texts["README.md"], AllOf(HasSubstr("two images at a time"),
                                        HasSubstr("`forward.u, forward.v, backward.u`"), HasSubstr("*source frame*"),
                                        HasSubstr("All other channels pass through"), Not(HasSubstr("normalises"))));
}

TEST_F(PackageFilesTest, MotionOfAnyChannelsHasAPreview) {
  const struct {
    std::vector<std::string> channels, choices;
    const char* red;
  } cases[] = {
      {{"forward.u", "forward.v"}, {"off", "forward"}, "0.5 + forward.u / "},
      {{"backward.u", "backward.v"}, {"off", "backward"}, "0.5 + backward.u / "},
      {{"backward.u", "backward.v", "forward.u", "forward.v"},
       {"off", "forward", "backward"},
       "0.5 + (parent.preview_motion == 2 ? backward.u : forward.u) / "},
      {{"disparityL.x", "disparityL.y"}, {"off", "on"}, "0.5 + disparityL.x / "},
  };
  for (const auto& c : cases) {
    SetInterface("flow", {"rgba.red", "rgba.green", "rgba.blue"}, c.channels, "Optical Flow");
    const std::string gizmo = Texts()["tiny.gizmo"];
    const NukeScript script = ReadNukeScript(gizmo);
    EXPECT_THAT(script.faults, IsEmpty());
    EXPECT_EQ(script.gizmo.user_knobs.at("preview_motion").choices, c.choices);
    EXPECT_THAT(script.nodes.at("Preview").values.at("expr0").text, HasSubstr(c.red));
  }
  // One number is shown as that of other kinds is.
  SetInterface("flow", {"rgba.red", "rgba.green", "rgba.blue"}, {"disparityL.x"}, "Optical Flow");
  EXPECT_THAT(ReadNukeScript(Texts()["tiny.gizmo"]).faults, IsEmpty());
  EXPECT_THAT(Texts()["tiny.gizmo"], Not(HasSubstr("preview_motion")));
}

TEST_F(PackageFilesTest, ANodeThatRetimesMovesBothFrames) {
  SetInterface("colour", {"rgba.red", "rgba.green", "rgba.blue", "forward.u", "forward.v", "backward.u"},
               {"rgba.red", "rgba.green", "rgba.blue", "forward.u", "forward.v", "backward.u", "backward.v", "mask.a"},
               "Optical Flow");
  SetFrames({0, 1});
  AddKnob("timestep", "float", 0.5, 0, 1, "When the image is", manifest_);
  auto texts = Texts();
  EXPECT_THAT(Stacks(texts["tiny.gizmo"]),
              ElementsAre("Input1: ", "NukeVersion: Input1", "Frame2: NukeVersion", "Frame2OnBlack: Frame2",
                          "Frame2Format: Frame2OnBlack", "Frame2ToSRGB: Frame2Format", "FirstFrame: NukeVersion",
                          "OnBlack: FirstFrame", "WholeFormat: OnBlack", "LinearToSRGB: WholeFormat",
                          "AddFrame2: LinearToSRGB Frame2ToSRGB", "Inference1: AddFrame2", "SRGBToLinear: Inference1",
                          "BackToPlate: SRGBToLinear", "NextMotion: Frame2 BackToPlate", "NextMoved: NextMotion",
                          "FirstMotion: FirstFrame BackToPlate", "FirstMoved: FirstMotion",
                          "BetweenPlate: FirstMoved NextMoved BackToPlate", "WithHighlights: BetweenPlate BackToPlate",
                          "MovedAlpha: FirstFrame BetweenPlate", "RetimedChannels: BetweenPlate FirstFrame MovedAlpha",
                          "Copy1: RetimedChannels WithHighlights", "CopyMotion: Copy1 BackToPlate",
                          "Preview: CopyMotion", "Output1: Preview"));
  EXPECT_THAT(ReadNukeScript(texts["tiny.gizmo"]).faults, IsEmpty());
  EXPECT_THAT(texts["README.md"],
              AllOf(HasSubstr("move as its colours do"), HasSubstr("`timestep` is the fractional part"),
                    HasSubstr("*Keep highlights*"), Not(HasSubstr("clipped")), Not(HasSubstr("pass through"))));
}

TEST_F(PackageFilesTest, ANodeForFramesAroundOneFetchesThem) {
  SetInterface("depth",
               {"rgba.red", "rgba.green", "rgba.blue", "forward.u", "forward.v", "backward.u", "mask.a", "disparityL.x",
                "disparityL.y"},
               {"depth.Z"}, "Depth Estimation");
  SetFrames({0, -1, 2});
  auto texts = Texts();
  const std::string& gizmo = texts["tiny.gizmo"];
  EXPECT_THAT(Stacks(gizmo),
              ElementsAre("Input1: ", "NukeVersion: Input1", "Frame2: NukeVersion", "Frame2OnBlack: Frame2",
                          "Frame2Format: Frame2OnBlack", "Frame2ToSRGB: Frame2Format", "Frame3: NukeVersion",
                          "Frame3OnBlack: Frame3", "Frame3Format: Frame3OnBlack", "Frame3ToSRGB: Frame3Format",
                          "OnBlack: NukeVersion", "WholeFormat: OnBlack", "LinearToSRGB: WholeFormat",
                          "AddFrame3: LinearToSRGB Frame3ToSRGB", "AddFrame2: AddFrame3 Frame2ToSRGB",
                          "Inference1: AddFrame2", "BackToPlate: Inference1", "Copy1: NukeVersion BackToPlate",
                          "Remap: Copy1", "Preview: Remap", "Output1: Preview"));
  EXPECT_THAT(gizmo, AllOf(HasSubstr("firstFrame {{\"frame - 1\"}}\n  name Frame2\n"),
                           HasSubstr("firstFrame {{\"frame + 2\"}}\n  name Frame3\n"),
                           HasSubstr("  to0 forward.u\n  from1 rgba.green\n  to1 forward.v\n  from2 rgba.blue\n"
                                     "  to2 backward.u\n  name AddFrame2\n"),
                           HasSubstr("  to2 disparityL.y\n  name AddFrame3\n"), Not(HasSubstr("source_frame"))));
  EXPECT_THAT(ReadNukeScript(gizmo).faults, IsEmpty());
  EXPECT_THAT(texts["README.md"],
              AllOf(HasSubstr("three frames at a time"), HasSubstr("takes three of its frames"),
                    HasSubstr("those at -1, +2 from it"),
                    HasSubstr("`forward.u, forward.v, backward.u, mask.a, disparityL.x, disparityL.y`")));
}

TEST_F(PackageFilesTest, ANodeForOneImageTakesItAsItIs) {
  const std::string gizmo = Texts()["tiny.gizmo"];
  EXPECT_THAT(Stacks(gizmo),
              ElementsAre("Input1: ", "NukeVersion: Input1", "OnBlack: NukeVersion", "WholeFormat: OnBlack",
                          "LinearToSRGB: WholeFormat", "Inference1: LinearToSRGB", "BackToPlate: Inference1",
                          "Copy1: NukeVersion BackToPlate", "Remap: Copy1", "Preview: Remap", "Output1: Preview"));
  EXPECT_THAT(gizmo, Not(HasSubstr("source_frame")));
  EXPECT_THAT(gizmo,
              AllOf(HasSubstr("expression {{\"\\$nuke_version >= 14.0\"}}\n  message \"Nuke 14.0 or newer is needed"),
                    HasSubstr("T \"Channels in: rgba.red,rgba.green,rgba.blue; channels out: depth.Z\"}\n"),
                    HasSubstr("T \"Code of the model: ")));
  EXPECT_THAT(
      gizmo,
      AllOf(HasSubstr("  expr2 \"parent.preview == 1 ? min(1, max(0, parent.remap ? depth.Z : "
                      "(depth.Z - parent.preview_low) / (parent.preview_high == parent.preview_low ? 1 : "
                      "parent.preview_high - parent.preview_low))) : min(1, max(0, 1.5 - abs(4 * min(1, max(0, "),
            HasSubstr("parent.preview_low))) - 1)))\"\n"), Not(HasSubstr("premultiply"))));
  // What lies outside of the format goes in with it as an image of its own, and what comes out goes back to its place.
  EXPECT_THAT(gizmo, AllOf(HasSubstr("box {{\"parent.overscan ? min(0, NukeVersion.bbox.x) : 0\"}"),
                           HasSubstr("\"parent.overscan ? max(input.height, NukeVersion.bbox.t) : input.height\"}}\n"
                                     "  reformat {{parent.overscan}}\n"),
                           HasSubstr("  translate {{\"WholeFormat.box.x\"} {\"WholeFormat.box.y\"}}\n")));
  EXPECT_THAT(Texts()["README.md"], AllOf(HasSubstr("one image at a time"), HasSubstr("normalises the image")));
}

TEST_F(PackageFilesTest, AKnobOfTheNodesOwnIsRefused) {
  for (const char* name : {"overscan", "source_frame", "keep_frames", "preview_motion", "width"}) {
    Manifest manifest = manifest_;
    AddKnob(name, "int", 0, 0, 5, "Something else", manifest);
    EXPECT_THAT(NukePackageFiles(manifest, ""),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(absl::StrCat("the attribute ", name))));
    EXPECT_FALSE(CheckNukeUses(manifest).ok()) << name;
  }
}

TEST_F(PackageFilesTest, NormalsAreShownAsColours) {
  const std::vector<std::string> rgb = {"rgba.red", "rgba.green", "rgba.blue"};
  SetInterface("normals", rgb, rgb, "Normals");
  EXPECT_THAT(Texts()["tiny.gizmo"], HasSubstr("  expr0 \"normals.red / 2 + 0.5\"\n"
                                               "  expr1 \"normals.green / 2 + 0.5\"\n"
                                               "  expr2 \"normals.blue / 2 + 0.5\"\n  name Preview\n"));
}

TEST_F(PackageFilesTest, OnlyColourIsConvertedBack) {
  SetInterface("colour", {"rgba.red", "rgba.green", "rgba.blue"}, {"rgba.red", "rgba.green", "rgba.blue"}, "Denoise");
  auto colour = Texts();
  EXPECT_THAT(colour["tiny.gizmo"], AllOf(HasSubstr("colorspace_in sRGB\n"), Not(HasSubstr("Preview"))));
  EXPECT_THAT(colour["README.md"], AllOf(HasSubstr("encoded for sRGB"), Not(HasSubstr("is data, not colour"))));
  EXPECT_THAT(ReadNukeScript(colour["tiny.gizmo"]).faults, IsEmpty());
  SetInterface("matte", {"rgba.red"}, {"rgba.alpha"}, "Segmentation");
  auto matte = Texts();
  EXPECT_THAT(matte["tiny.gizmo"], Not(HasSubstr("colorspace_in")));
  EXPECT_THAT(matte["README.md"], HasSubstr("is data, not colour"));
}

TEST_F(PackageFilesTest, TheReadmeTellsOfPaddingOnlyWhereThereIsSome) {
  EXPECT_THAT(Texts()["README.md"], Not(HasSubstr("multiples of")));
  manifest_.mutable_interface()->set_multiple_of(14);
  EXPECT_THAT(Texts()["README.md"], HasSubstr("pads the image to multiples of 14 pixels"));
}

TEST_F(PackageFilesTest, TheReadmeTellsNothingOfOtherPeoplesModels) {
  EXPECT_THAT(Texts()["README.md"], Not(HasSubstr("third party")));
}

TEST_F(PackageFilesTest, TheReadmeHasKnobsReleasesAndLicence) {
  const std::string readme = Texts()["README.md"];
  EXPECT_THAT(readme, HasSubstr("| `max_size` | int | 1036 | 14 to 100000 | Longest side |\n"));
  EXPECT_THAT(readme, HasSubstr("| Say \"near\" \\| {x [y $z \\ w end. |\n"));
  EXPECT_THAT(readme, AllOf(HasSubstr("| 1.6.0 | Foundry | no |"), HasSubstr("| 1.12.1 | Foundry | yes |"),
                            HasSubstr("| 2.7.1 | third parties | yes |")));
  EXPECT_THAT(readme, HasSubstr("SPDX name of the licence: **Apache-2.0**."));
  EXPECT_THAT(readme, Not(HasSubstr("commercial")));
  EXPECT_THAT(readme, Not(HasSubstr("made up")));
  EXPECT_THAT(readme, Not(HasSubstr("does not hold")));
  manifest_.clear_weights_licence();
  EXPECT_THAT(Texts()["README.md"], HasSubstr("licence: **not stated**."));
}

TEST_F(PackageFilesTest, TheReadmeWarnsOfMadeUpWeightsAndOfLicencesWithoutCommercialUse) {
  manifest_.set_weights_licence("CC-BY-NC-4.0");
  manifest_.mutable_weights()->set_seeded("seeded:v1:0");
  manifest_.set_warning("SEEDED weights: predicts nothing");
  const std::string readme = Texts()["README.md"];
  EXPECT_THAT(readme, HasSubstr("does not allow commercial use"));
  EXPECT_THAT(readme, HasSubstr("(seeded:v1:0)"));
  EXPECT_THAT(readme, HasSubstr("published weights, which this folder does not hold"));
}

TEST_F(PackageFilesTest, TheReadmeSaysWhoDisagreesOnTheLicence) {
  EXPECT_THAT(Texts()["README.md"], Not(HasSubstr("disagree")));
  for (const char* licence : {"Apache-2.0", "MIT"}) {
    Manifest::LicenceClaim& claim = *manifest_.add_licence_claims();
    claim.set_licence(licence);
    claim.set_url("https://example.org/page");
  }
  EXPECT_THAT(Texts()["README.md"], HasSubstr("**Apache-2.0**.\nSources disagree on it:\n\n"
                                              "- Apache-2.0 according to https://example.org/page\n"
                                              "- MIT according to https://example.org/page\n\n"));
}

TEST_F(PackageFilesTest, TheReadmeSaysWhatTheLicenceDoesNot) {
  EXPECT_THAT(Texts()["README.md"], Not(HasSubstr("The licence is not all")));
  manifest_.set_licence_note("the weights were trained on pictures of others");
  EXPECT_THAT(
      Texts()["README.md"],
      HasSubstr("\n\n**The licence is not all:** the weights were trained on pictures of others.\n\n- weights: "));
}

TEST_F(PackageFilesTest, TheReadmeTellsWhichWayDepthRuns) {
  EXPECT_THAT(Texts()["README.md"], Not(HasSubstr("Larger values are")));
  for (const char* way : {"nearer", "farther"}) {
    Manifest::Result& depth = *SetForward()->add_outputs();
    depth.set_larger_is(way);
    depth.set_unit("metres");
    auto texts = Texts();
    EXPECT_THAT(texts["README.md"], HasSubstr(absl::StrCat("Larger values are ", way)));
    EXPECT_THAT(texts["README.md"], HasSubstr("The unit is metres while"));
    EXPECT_THAT(texts["tiny.gizmo"], HasSubstr(absl::StrCat("Output: depth, metres, larger is ", way, ", while")));
  }
}

TEST_F(PackageFilesTest, WeightsInHalfPrecisionSwitchNukesHalfPrecisionOn) {
  for (const char* dtype : {"float32", "float16"}) {
    manifest_.mutable_request()->set_dtype(dtype);
    const bool half = manifest_.request().dtype() == "float16";
    auto texts = Texts();
    EXPECT_THAT(texts["tiny.gizmo"], HasSubstr(half ? " halfPrecision true\n" : " halfPrecision false\n"));
    EXPECT_EQ(absl::StrContains(texts["README.md"], "take an image in half precision"), half);
  }
}

TEST_F(PackageFilesTest, AnArtifactThatNoNukeLoadsIsRefused) {
  manifest_.set_minimum_runtime("1.12");
  EXPECT_OK(CheckNukeUses(manifest_));
  manifest_.set_minimum_runtime("2.13");
  const auto is_refused = StatusIs(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("wants LibTorch 2.13, Nuke 17.0 has 2.7.1; pass --runtime=2.7"));
  EXPECT_THAT(CheckNukeUses(manifest_), is_refused);
  EXPECT_THAT(Files().status(), is_refused);
}

}  // namespace

}  // namespace modelport
