// The folder for Nuke: its files, equal bytes for equal inputs, and no folder after a failure.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/table_files.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string ClassesModel() { return ExampleModel("classes"); }
std::string OneViewModel() { return ExampleModel("one view"); }
std::string FeaturesModel() { return ExampleModel("features"); }
std::string MetresViewsModel() { return ExampleModel("views in metres"); }

// For a package "out" of a model that is small.
std::vector<std::string> Arguments(const std::vector<std::string>& more = {"--weights=seeded"}) {
  std::vector<std::string> arguments = {"--model=" + DepthModel(), "--target=nuke", "--out=out",
                                        "--plugin_path=" + DataPath("models")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string Plugins() { return "--plugin_path=" + DataPath("models"); }

// A plugin in the folder `plugin` with a small model whose weights are not for commercial use.
void WriteLicensedPlugin(const std::string& folder, const std::string& licence = "CC-BY-NC-4.0") {
  const std::string plugin = folder + "/plugin/licensed";
  fs::create_directories(plugin);
  std::ofstream(plugin + "/plugin.yaml") << "family: licensed\nsummary: A small network\nextends: "
                                         << ExampleFamily("depth")
                                         << "\nvariants:\n  licensed:\n    summary: for tests\n    module: "
                                         << ExampleModule("depth") << "\n    licence: " << licence << "\n";
}

// Bytes that only the artifact of the views in metres exceeds.
constexpr rlim_t kBetween = 1000000;

// The files of a package of `model`, sorted.
std::vector<std::string> FilesOf(const std::string& model) {
  std::vector<std::string> files = {"README.md", "cat.json", "convert.py", "init.py", "menu.py"};
  for (const char* end : {".gizmo", ".manifest.json", ".png", ".pt", "@2x.png", "_CatFileCreator.nk"}) {
    files.push_back(model + end);
  }
  return files;
}

// Makes a package, which must succeed, in a process of its own. Returns the path of its folder.
std::string MakePackage(const std::string& name) {
  const std::string folder = EmptyFolder(name);
  const ToolResult result = RunTool("package", Arguments(), folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("out/" + DepthModel() + "_CatFileCreator.nk in NukeX"));
  EXPECT_THAT(FileNames(folder), ElementsAre("out"));
  return folder + "/out";
}

TEST(PackageTest, HoldsTheArtifactAndWhatNukeNeeds) {
  const std::string folder = MakePackage("files");
  EXPECT_THAT(FileNames(folder), testing::ElementsAreArray(FilesOf(DepthModel())));
  for (const std::string& file : {DepthModel() + ".pt", "--artifact=" + DepthModel() + ".pt"}) {
    const ToolResult verified = RunWarmTool("verify", {file, Plugins()}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }
  EXPECT_THAT(RunWarmTool("verify", {}, folder).err,
              StartsWith("INVALID_ARGUMENT: the artifact is missing: give its path"));
  EXPECT_THAT(RunWarmTool("verify", {"a.pt", "--artifact=b.pt"}, folder).err,
              StartsWith("INVALID_ARGUMENT: wants one artifact, has 2: a.pt, b.pt"));
}

TEST(PackageTest, APictureShowsWhatTheNodeMakesOfAnImage) {
  const std::string folder = EmptyFolder("picture");
  for (const char* name : {"/photo.png", "/second.png"}) {
    std::ofstream(folder + name, std::ios::binary) << MakePng({.width = 40, .height = 30});
  }
  const std::string weights = "--checkpoint=" + DataPath("tests/checkpoints/" + DepthModel() + ".safetensors");
  const ToolResult result = RunWarmTool("package", Arguments({weights, "--picture=photo.png"}), folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const std::string picture = DepthModel() + "_picture.png";
  EXPECT_THAT(FileNames(folder + "/out"), testing::Contains(picture));
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/out/" + picture, 1000000));
  EXPECT_GT(read.image.width, 80);  // The image, its depth and a legend.
  // The icons show the depth of this image, not what all models of depth have.
  const std::string plain = MakePackage("plain");
  for (const auto& [ending, side] : {std::pair(".png", 24), std::pair("@2x.png", 48)}) {
    const std::string icon = DepthModel() + ending;
    ASSERT_OK_AND_ASSIGN(const ReadImageResult shown, ReadImage(folder + "/out/" + icon, 10000));
    EXPECT_EQ(shown.image.width, side);
    EXPECT_EQ(shown.image.height, side);
    EXPECT_NE(ReadFile(folder + "/out/" + icon), ReadFile(plain + "/" + icon));
  }
  EXPECT_THAT(FileNames(folder + "/out"), testing::SizeIs(FilesOf(DepthModel()).size() + 1));
  EXPECT_THAT(ReadFile(folder + "/out/README.md"), HasSubstr("makes of an image](" + picture + ")"));
  EXPECT_THAT(ReadFile(plain + "/README.md"), testing::Not(HasSubstr("_picture")));

  const auto error = [&](const std::vector<std::string>& flags) {
    fs::remove_all(folder + "/out");
    const ToolResult refused = RunWarmTool("package", Arguments(flags), folder);
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_THAT(FileNames(folder), ElementsAre("photo.png", "second.png"));
    return refused.err;
  };
  EXPECT_THAT(error({"--weights=seeded", "--picture=photo.png"}),
              HasSubstr("--picture: " + DepthModel() + " has seeded weights, which predict nothing"));
  EXPECT_THAT(error({weights, "--picture=none.png"}), StartsWith("NOT_FOUND: none.png"));
  EXPECT_THAT(error({weights, "--picture=photo.png,second.png"}),
              HasSubstr("--picture: " + DepthModel() + " wants one image, has 2 files"));
}

TEST(PackageTest, SeveralModelsTakeAFileEach) {
  const std::string folder = EmptyFolder("files_each");
  const auto file = [](const std::string& name) { return DataPath("tests/checkpoints/" + name); };
  const std::string models = DepthModel() + "," + FeaturesModel();
  const auto package = [&](const std::string& files, const std::string& out) {
    return RunWarmTool("package",
                       {"--model=" + models, "--checkpoint=" + files, "--nuke=14", "--out=" + out, Plugins()}, folder);
  };
  const std::string depth = file(DepthModel() + ".safetensors"), features = file(FeaturesModel() + ".pth");
  const ToolResult made = package(depth + "," + features, "made");
  ASSERT_EQ(made.exit_status, 0) << made.err;
  for (const std::string& model : {DepthModel(), FeaturesModel()}) {
    const auto manifest =
        nlohmann::json::parse(ReadFile(absl::StrCat(folder, "/made/", model, "/", model, ".manifest.json")));
    EXPECT_THAT(manifest["weights"]["checkpoints"][0]["source"].get<std::string>(), StartsWith("sha256:")) << model;
  }
  // In the other order neither file fits its model.
  const ToolResult turned = package(features + "," + depth, "turned");
  EXPECT_EQ(turned.exit_status, 1);
  EXPECT_THAT(turned.err, HasSubstr("2 of 2 packages failed"));
  EXPECT_FALSE(fs::exists(folder + "/turned"));
}

TEST(PackageTest, AChoiceIsANodeBesideItsModels) {
  const std::string folder = EmptyFolder("choice");
  const std::string both = DepthModel() + "," + ExampleModel("depth in metres");
  const auto package = [&](const std::string& models, const std::string& out) {
    return RunWarmTool(
        "package",
        {"--model=" + models, "--target=nuke", "--weights=seeded", "--choice=either", "--out=" + out, Plugins()},
        folder);
  };
  // One gives relative depth, the other metres, so that their units differ.
  const ToolResult refused = package(both, "refused");
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("cannot be choices of one node"));
  EXPECT_THAT(refused.err, HasSubstr("the packages themselves are complete"));
  EXPECT_THAT(FileNames(folder + "/refused"), testing::SizeIs(2));

  const std::string first = FeaturesModel(), second = ExampleModel("features with registers");
  const ToolResult made = package(first + "," + second, "made");
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(FileNames(folder + "/made"), ElementsAre("either", first, second));
  EXPECT_THAT(FileNames(folder + "/made/either"), ElementsAre("README.md", "cat.json", "either.gizmo", "either.png",
                                                              "either@2x.png", "init.py", "menu.py"));
  EXPECT_THAT(ReadFile(folder + "/made/either/either.gizmo"),
              HasSubstr(absl::StrCat(" M {", first, " ", second, "}}")));

  const ToolResult each = RunWarmTool("package",
                                      {"--model=" + first + "," + second, "--nuke=13,15.1", "--weights=seeded",
                                       "--choice=either", "--out=each", Plugins()},
                                      folder);
  ASSERT_EQ(each.exit_status, 0) << each.err;
  EXPECT_THAT(FileNames(folder + "/each"), ElementsAre("either_nuke13", "either_nuke15_1", first + "_nuke13",
                                                       first + "_nuke15_1", second + "_nuke13", second + "_nuke15_1"));
  EXPECT_THAT(ReadFile(folder + "/each/either_nuke13/either_nuke13.gizmo"),
              HasSubstr(absl::StrCat(" M {", first, "_nuke13 ", second, "_nuke13}}")));
  EXPECT_THAT(
      ReadFile(folder + "/made/either/README.md"),
      AllOf(HasSubstr(absl::StrCat("| `", second, "` | ")),
            HasSubstr("\n\n## In and out\n\n- In: `rgba.red,rgba.green,rgba.blue`"), HasSubstr(".\n\n## Knobs\n")));
}

TEST(PackageTest, IsTheSameEachTime) {
  const std::string first = MakePackage("first"), second = MakePackage("second");
  for (const std::string& name : FilesOf(DepthModel()))
    EXPECT_EQ(ReadFile(first + "/" + name), ReadFile(second + "/" + name)) << name;
}

TEST(PackageTest, HasEveryKnobOfTheManifestEverywhere) {
  const std::string folder = MakePackage("knobs");
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/" + DepthModel() + ".manifest.json"));
  ASSERT_FALSE(manifest["knobs"].empty());
  const std::string script = ReadFile(folder + "/" + DepthModel() + "_CatFileCreator.nk");
  const std::string gizmo = ReadFile(folder + "/" + DepthModel() + ".gizmo");
  for (const auto& knob : manifest["knobs"]) {
    const std::string name = knob["name"];
    const auto definition = [&](int kind) { return absl::StrCat("addUserKnob {", kind, " ", name, " "); };
    const int number = knob["type"] == "int" ? 3 : 7;
    // In the gizmo choices are a pulldown, and 0 or 1 a checkbox.
    const bool is_switch = number == 3 && knob["min"] == 0 && knob["max"] == 1;
    EXPECT_THAT(script, HasSubstr(definition(number)));
    EXPECT_THAT(gizmo, HasSubstr(definition(!knob["choices"].empty() ? 4 : is_switch ? 6 : number)));
    EXPECT_THAT(gizmo, HasSubstr(absl::StrCat("parent.", name, "))\"}")));
    EXPECT_THAT(ReadFile(folder + "/README.md"), HasSubstr(absl::StrCat("| `", name, "` | ")));
  }
  EXPECT_THAT(ReadFile(folder + "/README.md"), HasSubstr("Larger values are nearer"));
}

TEST(PackageTest, ModelsOfSeveralFamiliesHavePackages) {
  struct Case {
    std::string model, channels;
  };
  for (const auto& [model, channels] :
       {Case{ExampleModel("depth in metres"), "depth.Z"}, Case{OneViewModel(), "depth.Z"},
        Case{ExampleModel("views"), "depth.Z"}, Case{MetresViewsModel(), "depth.Z"},
        Case{FeaturesModel(), "rgba.red,rgba.green,rgba.blue,rgba.alpha"}}) {
    const std::string folder = EmptyFolder("families");
    const ToolResult result = RunWarmTool("package", Arguments({"--weights=seeded", "--model=" + model}), folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(ReadFile(absl::StrCat(folder, "/out/", model, "_CatFileCreator.nk")),
                HasSubstr(absl::StrCat(" channelsOut ", channels, "\n")));
  }
}

TEST(PackageTest, OneOfSeveralWrappersHasAPackageOfItsOwn) {
  const std::string folder = EmptyFolder("wrappers");
  const auto package = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--model=" + ClassesModel(), "--nuke=13", "--weights=seeded", Plugins()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunWarmTool("package", arguments, folder);
  };
  ASSERT_EQ(package({}).exit_status, 0);
  const ToolResult result = package({"--wrapper=classes"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr(ClassesModel() + "_classes/" + ClassesModel() + "_classes_CatFileCreator.nk in NukeX"));
  EXPECT_THAT(FileNames(folder), ElementsAre(ClassesModel(), ClassesModel() + "_classes"));
  const std::string out = folder + "/" + ClassesModel() + "_classes/" + ClassesModel() + "_classes";
  const auto manifest = nlohmann::json::parse(ReadFile(out + ".manifest.json"));
  EXPECT_EQ(manifest["request"]["wrapper"], "classes");
  EXPECT_EQ(manifest["interface"]["kind"], "scores");
  EXPECT_EQ(manifest["knobs"][1]["name"], "class_index");
  EXPECT_EQ(manifest["knobs"][1]["max"], 9);
  const std::string gizmo = ReadFile(out + ".gizmo");
  EXPECT_THAT(gizmo, HasSubstr(" name " + ClassesModel() + "_classes\n"));
  EXPECT_THAT(gizmo, HasSubstr("add_layer {scores scores.alpha}"));
  EXPECT_THAT(ReadFile(folder + "/" + ClassesModel() + "_classes/cat.json"),
              HasSubstr("\"name\": \"" + ClassesModel() + " classes SEEDED\""));
  EXPECT_THAT(ReadFile(out + ".png"), Not(IsEmpty()));
  EXPECT_THAT(ReadFile(folder + "/" + ClassesModel() + "/" + ClassesModel() + ".gizmo"),
              HasSubstr("add_layer {features "));
  for (const std::string& file :
       {ClassesModel() + "/" + ClassesModel() + ".pt", ClassesModel() + "_classes/" + ClassesModel() + "_classes.pt"}) {
    const ToolResult verified = RunWarmTool("verify", {file, Plugins()}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }
  // Both in one call.
  ASSERT_EQ(package({"--wrapper=features,classes", "--out=both"}).exit_status, 0);
  EXPECT_THAT(FileNames(folder + "/both"), ElementsAre(ClassesModel(), ClassesModel() + "_classes"));
  fs::remove_all(folder + "/both");
  EXPECT_THAT(package({"--wrapper=class"}).err, StartsWith("INVALID_ARGUMENT: --wrapper=class: " + ClassesModel() +
                                                           " has no such wrapper for nuke; it has features "
                                                           "(the default), classes"));
  EXPECT_THAT(FileNames(folder), ElementsAre(ClassesModel(), ClassesModel() + "_classes"));
}

TEST(PackageTest, AMatteBecomesAlpha) {
  const std::string folder = EmptyFolder("matte"), plugins = "--plugin_path=" + DataPath("models");
  const ToolResult result = RunWarmTool(
      "package", {"--model=" + ExampleModel("matte"), "--target=nuke", "--weights=seeded", "--out=out", plugins},
      folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/out/" + ExampleModel("matte") + ".manifest.json"));
  EXPECT_EQ(manifest["interface"]["kind"], "matte");
  EXPECT_THAT(manifest["interface"]["channels_in"], ElementsAre("rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"));
  EXPECT_THAT(manifest["interface"]["channels_out"], ElementsAre("rgba.alpha"));
  EXPECT_EQ(manifest["round_trip"]["outputs"][1]["call"], "forward([1, 4, 31, 45])");
  EXPECT_THAT(ReadFile(folder + "/out/" + ExampleModel("matte") + "_CatFileCreator.nk"),
              HasSubstr(" channelsIn rgba.red,rgba.green,rgba.blue,rgba.alpha\n channelsOut rgba.alpha\n"));
  EXPECT_THAT(ReadFile(folder + "/out/cat.json"), HasSubstr("\"category\": \"Segmentation\""));
  const std::string readme = ReadFile(folder + "/out/README.md");
  EXPECT_THAT(readme, HasSubstr("- Alpha takes the trimap"));
  EXPECT_THAT(readme, HasSubstr("- Opacity of the foreground.\n"));
  for (const char* text : {"multiples of", "epth", "third party"}) EXPECT_THAT(readme, Not(HasSubstr(text)));
  const ToolResult verified =
      RunWarmTool("verify", {"--artifact=" + ExampleModel("matte") + ".pt", plugins}, folder + "/out");
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

TEST(PackageTest, TheRuntimeDecidesWhichNukeLoadsIt) {
  struct Case {
    std::string runtime, nuke;
  };
  for (const auto& [runtime, nuke] : {Case{"1.6", "13.1"}, Case{"1.12", "14.0"}, Case{"2.1", "15.1"}}) {
    const std::string folder = EmptyFolder("runtimes");
    const ToolResult result = RunWarmTool("package", Arguments({"--weights=seeded", "--runtime=" + runtime}), folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(ReadFile(folder + "/out/cat.json"),
                HasSubstr(absl::StrCat("\"minimum_nuke_version_required\": ", nuke, ",")));
  }
}

TEST(PackageTest, TheOldestNukeDecidesTheRuntimeAndTheSummaryNamesAllThatLoadIt) {
  struct Case {
    std::string nuke, runtime, loads;
  };
  for (const auto& [nuke, runtime, loads] : {Case{"13", "1.6", "Nuke 13.0 to 13.2, 14.0 to 15.0, 15.1 to 16.0, 17.0"},
                                             Case{"15", "1.12", "Nuke 14.0 to 15.0, 15.1 to 16.0, 17.0"},
                                             Case{"15.1v2", "2.1", "Nuke 15.1 to 16.0, 17.0"}}) {
    const std::string folder = EmptyFolder("nukes");
    const ToolResult result = RunWarmTool(
        "package", {"--model=" + DepthModel(), "--nuke=" + nuke, "--weights=seeded", "--out=out", Plugins()}, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\nmade for    LibTorch " + runtime + "\n"));
    EXPECT_THAT(result.out, HasSubstr("\nloads in    " + loads + "\n"));
  }
}

// Nobody gets made-up weights without a wish for them.
TEST(PackageTest, WithoutACheckpointItWantsSeededWeightsToBeNamed) {
  const std::string folder = EmptyFolder("unseeded");
  const ToolResult result =
      RunWarmTool("package", {"--model=" + ExampleModel("published depth"), "--nuke=14", "--out=out"}, folder,
                  {{"HF_HUB_CACHE", "/nowhere"}});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("NOT_FOUND: --weights is not given: no checkpoint of " +
                                     ExampleModel("published depth") + "\n"));
  EXPECT_THAT(result.err, HasSubstr("\n  get https://huggingface.co/"));
  EXPECT_THAT(result.err, HasSubstr("\n  or pass --weights=seeded for weights that predict nothing"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

TEST(PackageTest, ALicenceWithoutCommercialUseIsSaidOnStderr) {
  const std::string folder = EmptyFolder("licence");
  WriteLicensedPlugin(folder);
  for (const char* tool : {"package", "export"}) {
    const ToolResult result =
        RunWarmTool(tool,
                    {"--model=licensed", "--target=nuke", "--weights=seeded", absl::StrCat("--out=", tool),
                     absl::StrCat("--plugin_path=plugin,", DataPath("models"))},
                    folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err,
              "The licence of the published weights of licensed, CC-BY-NC-4.0, does not allow commercial use.\n");
  }
}

TEST(PackageTest, TheTextOfALicenceLiesInTheFolder) {
  const std::string folder = EmptyFolder("licence_text");
  WriteLicensedPlugin(folder, "LicenseRef-Own");
  std::ofstream(folder + "/LICENSE.md") << "Use it well.\n";
  for (const bool has_text : {false, true}) {
    const std::string out = has_text ? "with" : "without";
    std::vector<std::string> flags = {"--model=licensed", "--nuke=14", "--weights=seeded", "--out=" + out,
                                      "--plugin_path=plugin," + DataPath("models")};
    if (has_text) flags.push_back("--licence_file=LICENSE.md");
    const ToolResult result = RunWarmTool("package", flags, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err, has_text ? ""
                                   : "The licence of the published weights of licensed, LicenseRef-Own, is known by "
                                     "its text alone: --licence_file=FILE puts it into the artifact.\n");
    EXPECT_EQ(fs::exists(absl::StrCat(folder, "/", out, "/WEIGHTS_LICENSE.txt")), has_text);
    EXPECT_EQ(absl::StrContains(ReadFile(absl::StrCat(folder, "/", out, "/README.md")),
                                "\n`WEIGHTS_LICENSE.txt` is its text.\n"),
              has_text);
  }
  EXPECT_EQ(ReadFile(folder + "/with/WEIGHTS_LICENSE.txt"), "Use it well.\n");
}

TEST(PackageTest, SeveralModelsGetAFolderEach) {
  const std::string folder = EmptyFolder("several");
  const ToolResult result = RunWarmTool(
      "package",
      Arguments({"--weights=seeded", "--model=" + DepthModel() + "," + OneViewModel() + "," + FeaturesModel()}),
      folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(FileNames(folder), ElementsAre("out"));
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre(DepthModel(), FeaturesModel(), OneViewModel()));
  EXPECT_THAT(FileNames(folder + "/out/" + DepthModel()), testing::ElementsAreArray(FilesOf(DepthModel())));
  EXPECT_THAT(result.out, HasSubstr("out/" + FeaturesModel() + "/" + FeaturesModel() + "_CatFileCreator.nk in NukeX"));
  const std::string alone = MakePackage("alone");
  for (const std::string& name : FilesOf(DepthModel())) {
    EXPECT_EQ(ReadFile(folder + "/out/" + DepthModel() + "/" + name), ReadFile(alone + "/" + name)) << name;
  }
}

TEST(PackageTest, AFamilyGetsAFolderForEachModel) {
  const std::string folder = EmptyFolder("family");
  const ToolResult result = RunWarmTool(
      "package",
      {"--family=" + ExampleFamily("depth") + "_tiny", "--nuke=13", "--weights=seeded", "--out=out", Plugins()},
      folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre(DepthModel(), ExampleModel("depth in metres")));
}

TEST(PackageTest, WhatFailsOfSeveralIsNamedAndTheOthersStay) {
  const std::string folder = EmptyFolder("some");
  fs::create_directories(folder + "/out/" + OneViewModel());
  std::ofstream(folder + "/out/" + OneViewModel() + "/mine") << "text";
  const ToolResult result = RunWarmTool("package",
                                        Arguments({"--weights=seeded", "--model=tiny_dav3," + DepthModel() + "," +
                                                                           OneViewModel() + "," + FeaturesModel()}),
                                        folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("NOT_FOUND: out: 2 of 4 packages failed; the others are complete\n"
                                     "  tiny_dav3: NOT_FOUND: unknown model \"tiny_dav3\"; nearest: "));
  EXPECT_THAT(result.err,
              HasSubstr("\n  " + OneViewModel() + ": ALREADY_EXISTS: out/" + OneViewModel() + ": exists already"));
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre(DepthModel(), FeaturesModel(), OneViewModel()));
  EXPECT_THAT(FileNames(folder + "/out/" + DepthModel()), testing::ElementsAreArray(FilesOf(DepthModel())));
  EXPECT_THAT(FileNames(folder + "/out/" + OneViewModel()), ElementsAre("mine"));
}

// A file of the views in metres is larger than the limit, those of the others are smaller.
TEST(PackageTest, ADiskThatFillsInTheThirdOfSixLeavesTheOthers) {
  const std::string folder = EmptyFolder("fills");
  const std::string models = DepthModel() + "," + ExampleModel("depth in metres") + "," + MetresViewsModel() + "," +
                             OneViewModel() + "," + ExampleModel("depth for a focal length") + "," + FeaturesModel();
  const ToolResult result = RunTool("package", Arguments({"--weights=seeded", "--model=" + models}), folder, [] {
    const rlimit file_size = {kBetween, kBetween};
    setrlimit(RLIMIT_FSIZE, &file_size);
  });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("RESOURCE_EXHAUSTED: out: 1 of 6 packages failed; the others are complete\n"
                                     "  " +
                                     MetresViewsModel() + ": RESOURCE_EXHAUSTED: out/" + MetresViewsModel() + "/" +
                                     MetresViewsModel() + ".pt: "));
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre(DepthModel(), ExampleModel("depth in metres"), FeaturesModel(),
                                                      ExampleModel("depth for a focal length"), OneViewModel()));
}

TEST(PackageTest, ThePlaceOfSeveralMustBeAFolderOrANewOne) {
  const std::string folder = EmptyFolder("place");
  std::ofstream(folder + "/file") << "text";
  const auto package = [&](const std::string& models, const std::string& out) {
    return RunWarmTool("package", Arguments({"--weights=seeded", "--model=" + models, "--out=" + out}), folder);
  };
  EXPECT_THAT(package(DepthModel() + "," + OneViewModel(), "file").err,
              StartsWith("ALREADY_EXISTS: file: cannot be the folder"));
  // The folders of packages that all fail go, too.
  EXPECT_EQ(package("tiny_dav3,tiny_dav4", "new/folder/out").exit_status, 1);
  EXPECT_THAT(FileNames(folder), ElementsAre("file"));
  const ToolResult result = package(DepthModel() + "," + OneViewModel(), "new/folder/out");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(FileNames(folder + "/new/folder/out"), ElementsAre(DepthModel(), OneViewModel()));
}

TEST(PackageTest, AllThatFailLeaveNoFolder) {
  const std::string folder = EmptyFolder("none");
  const ToolResult result =
      RunWarmTool("package", Arguments({"--weights=seeded", "--model=tiny_dav3,tiny_dav4"}), folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("NOT_FOUND: out: 2 of 2 packages failed\n"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

TEST(PackageTest, WhatIsThereIsRefusedAndStays) {
  const std::string folder = EmptyFolder("there");
  fs::create_directory(folder + "/out");
  std::ofstream(folder + "/out/mine") << "text";
  const ToolResult result = RunWarmTool("package", Arguments(), folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("ALREADY_EXISTS: out: exists already"));
  EXPECT_THAT(FileNames(folder), ElementsAre("out"));
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre("mine"));
}

struct Refusal {
  const char* argument;  // Replaces what comes before.
  const char* error;     // Its beginning.
};

class RefusedPackageTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedPackageTest, LeavesNothing) {
  const std::string folder = EmptyFolder("refused");
  const ToolResult result = RunWarmTool("package", Arguments({"--weights=seeded", GetParam().argument}), folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith(GetParam().error));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Flags, RefusedPackageTest,
    testing::Values(Refusal{"--target=libtorch",
                            "INVALID_ARGUMENT: target libtorch: this host has no packages; hosts that have some: nuke"},
                    Refusal{"--model=tiny_dav3", "NOT_FOUND: unknown model \"tiny_dav3\""},
                    Refusal{"--noverify", "INVALID_ARGUMENT: --noverify: no such flag"},
                    Refusal{"--dtype=bfloat16", "INVALID_ARGUMENT: --dtype=bfloat16: nuke computes in"},
                    Refusal{"--nuke=12", "INVALID_ARGUMENT: --nuke=12: unknown Nuke \"12\""},
                    Refusal{"--runtime=1.13.1", "INVALID_ARGUMENT: --runtime=1.13.1: unknown runtime"},
                    Refusal{"--out=no/out", "NOT_FOUND: no/out: the folder no does not exist"}));

TEST(PackageTest, ACheckpointThatDoesNotFitLeavesNothing) {
  const std::string folder = EmptyFolder("misfit");
  const ToolResult result = RunWarmTool("package", Arguments({"--checkpoint=" + TableFile("wrong_shape.pth")}), folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("does not fit " + DepthModel()));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

TEST(PackageTest, AFullDiskIsAnErrorThatNamesTheFileByItsFinalPath) {
  for (const rlim_t limit : {1000, 3000, 100000}) {
    const std::string folder = EmptyFolder("full");
    const ToolResult result = RunTool("package", Arguments(), folder, [limit] {
      const rlimit file_size = {limit, limit};
      setrlimit(RLIMIT_FSIZE, &file_size);
    });
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith("RESOURCE_EXHAUSTED: out/"));
    EXPECT_THAT(result.err, Not(HasSubstr(".partial")));
    EXPECT_THAT(FileNames(folder), IsEmpty());
  }
}

TEST(PackageTest, InterruptedItLeavesAllOrNothing) {
  for (int milliseconds = 10; milliseconds < 1500; milliseconds = milliseconds * 4 / 3 + 1) {
    const std::string folder = EmptyFolder("interrupted");
    const pid_t pid = StartTool("package", Arguments(), folder);
    usleep(milliseconds * 1000);
    kill(pid, SIGTERM);
    const ToolResult result = FinishTool(pid);
    const std::vector<std::string> names = FileNames(folder);
    EXPECT_THAT(names, Each("out"));
    if (!names.empty()) {
      EXPECT_THAT(FileNames(folder + "/out"), testing::ElementsAreArray(FilesOf(DepthModel())));
    }
    if (result.exit_status == 0) break;  // It was over before the signal, as it would be before any later one.
  }
}

}  // namespace
}  // namespace modelport
