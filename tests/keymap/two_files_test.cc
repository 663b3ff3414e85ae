// Two files fill one module tree: each one its own part, in any order, or nothing is written.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/digest/sha256.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string FeaturesModel() { return ExampleModel("features"); }
std::string TwoFilesModel() { return ExampleModel("two files"); }

std::string Backbone() { return DataPath("tests/checkpoints/" + FeaturesModel() + ".pth"); }
std::string Transformers() { return LayoutFile("transformers", FeaturesModel()); }
std::string Head() { return DataPath("tests/checkpoints/parts/" + FeaturesModel() + "_linear_head.safetensors"); }
std::string OtherHead() { return DataPath("tests/checkpoints/parts/other_linear_head.safetensors"); }

std::string Sha256Source(const std::string& path) { return absl::StrCat("sha256:", Sha256Of(ReadFile(path))); }

class TwoFilesTest : public testing::Test {
 protected:
  // Exports TwoFilesModel() to m.pt of the test's folder.
  ToolResult Export(std::vector<std::string> flags) const {
    flags.insert(flags.begin(),
                 {absl::StrCat("--model=", TwoFilesModel()), "--out=m.pt", "--plugin_path=" + DataPath("models")});
    return RunTool("export", flags, folder_);
  }

  ToolResult Export(const std::string& first, const std::string& second, const std::string& layout = "auto") const {
    return Export({absl::StrCat("--checkpoint=", first, ",", second), "--layout=" + layout});
  }

  ToolResult Verify(const std::string& checkpoints) const {
    std::vector<std::string> flags = {"--artifact=m.pt", "--plugin_path=" + DataPath("models")};
    if (!checkpoints.empty()) flags.push_back("--checkpoint=" + checkpoints);
    return RunTool("verify", flags, folder_);
  }

  ToolResult Inspect(std::vector<std::string> flags) const {
    flags.push_back("--plugin_path=" + DataPath("models"));
    return RunTool("inspect", flags, folder_);
  }

  // Converts the backbone and the head to one.safetensors.
  ToolResult Convert(std::vector<std::string> flags) const {
    flags.insert(flags.end(), {absl::StrCat("--checkpoint=", Transformers(), ",", Head()), "--out=one.safetensors",
                               "--plugin_path=" + DataPath("models")});
    return RunTool("convert", flags, folder_);
  }

  std::string Artifact() const { return ReadFile(folder_ + "/m.pt"); }
  Json Manifest() const { return Json::parse(ReadFile(folder_ + "/m.manifest.json")); }

  // The bytes of the artifact's tensors.
  std::vector<std::string> Tensors() const {
    std::vector<std::string> tensors;
    for (const auto& [name, content] : ReadRecords(folder_ + "/m.pt")) {
      if (absl::StartsWith(name, "data/")) tensors.push_back(content);
    }
    return tensors;
  }

  const std::string folder_ = EmptyFolder("two_files");
};

TEST_F(TwoFilesTest, EitherOrderGivesTheSameArtifact) {
  const ToolResult first = Export(Backbone(), Head());
  ASSERT_EQ(first.exit_status, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("source      backbone " + Sha256Source(Backbone()) + ", linear_head " +
                                         Sha256Source(Head()) + "\n"),
                               HasSubstr("layout      backbone original, linear_head original\n")));
  const std::string artifact = Artifact();
  const Json manifest = Manifest();
  ASSERT_EQ(Export(Head(), Backbone()).exit_status, 0);
  EXPECT_TRUE(Artifact() == artifact);
  EXPECT_EQ(Manifest(), manifest);
}

TEST_F(TwoFilesTest, TheManifestNamesEachFileWithItsLayoutAndDigest) {
  ASSERT_EQ(Export(Transformers(), Head()).exit_status, 0);
  const Json files = Manifest()["weights"]["checkpoints"];
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files[0]["part"], "backbone");
  EXPECT_EQ(files[0]["file"], FeaturesModel() + ".pth");
  EXPECT_EQ(files[0]["layout"], "transformers");
  EXPECT_EQ(files[0]["source"], Sha256Source(Transformers()));
  EXPECT_EQ(files[1]["part"], "linear_head");
  EXPECT_EQ(files[1]["file"], FeaturesModel() + "_linear_head.pth");
  EXPECT_EQ(files[1]["layout"], "original");
  EXPECT_EQ(files[1]["source"], Sha256Source(Head()));
}

// Both files hold the seeded numbers of their own keys: the head's is `weight`, not `linear_head.weight`.
TEST_F(TwoFilesTest, SeededWeightsFillThePublishedKeysOfEachFile) {
  ASSERT_EQ(Export(Backbone(), Head()).exit_status, 0);
  const std::vector<std::string> tensors = Tensors();
  ASSERT_EQ(tensors.size(), 65);
  ASSERT_EQ(Export({"--weights=seeded:0"}).exit_status, 0);
  EXPECT_TRUE(Tensors() == tensors);
  const Json weights = Manifest()["weights"];
  EXPECT_EQ(weights["seeded"], "seeded:v1:0");
  EXPECT_EQ(weights["checkpoints"].size(), 0);
  EXPECT_EQ(Verify("").exit_status, 0);
}

TEST_F(TwoFilesTest, EachFileHasALayoutOfItsOwn) {
  ASSERT_EQ(Export(Backbone(), Head()).exit_status, 0);
  const std::vector<std::string> tensors = Tensors();
  for (const char* layout : {"auto", "transformers,auto", "transformers,original"}) {
    const ToolResult result = Export(Transformers(), Head(), layout);
    ASSERT_EQ(result.exit_status, 0) << layout << result.err;
    EXPECT_TRUE(Tensors() == tensors) << layout;
  }
  EXPECT_EQ(Export(Head(), Backbone(), "original").exit_status, 0);
  EXPECT_EQ(Export(Head(), Transformers(), "auto,transformers").exit_status, 0);
}

TEST_F(TwoFilesTest, VerifyTakesTheFilesInAnyOrder) {
  ASSERT_EQ(Export(Backbone(), Head()).exit_status, 0);
  for (const auto& [first, second] : {std::pair(Backbone(), Head()), std::pair(Head(), Backbone())}) {
    const ToolResult result = Verify(first + "," + second);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("65 tensors bitwise equal to those of " + first + ", " + second + "\n"));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("not checked")));
  }
  const ToolResult without = Verify("");
  EXPECT_EQ(without.exit_status, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("not checked  weights: give the checkpoint, backbone sha256:"));
}

TEST_F(TwoFilesTest, VerifyWantsTheFilesOfTheManifest) {
  ASSERT_EQ(Export(Backbone(), Head()).exit_status, 0);
  const struct {
    std::string files, error;
  } kCases[] = {
      {Backbone(), absl::StrCat("INVALID_ARGUMENT: m.manifest.json: the artifact was made from 2 checkpoints: "
                                "--checkpoint lacks that of linear_head, ",
                                Sha256Source(Head()), "\n")},
      {Backbone() + "," + OtherHead(),
       absl::StrCat("FAILED_PRECONDITION: ", OtherHead(),
                    ": is not another checkpoint that the artifact was made from: wants ", Sha256Source(Backbone()),
                    " and ", Sha256Source(Head()), ", has ", Sha256Source(OtherHead()), "\n")},
      {Head() + "," + Head(), absl::StrCat("FAILED_PRECONDITION: ", Head(), ": is not another checkpoint ")},
  };
  for (const auto& test : kCases) {
    const ToolResult result = Verify(test.files);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith(test.error));
  }
}

TEST_F(TwoFilesTest, FilesThatDoNotFillTheTreeAreNamedAndNothingIsWritten) {
  const std::string parts =
      "backbone (" + FeaturesModel() + ".pth), linear_head (" + FeaturesModel() + "_linear_head.pth)";
  const std::string other_backbone =
      DataPath("tests/checkpoints/" + ExampleModel("features with registers") + ".safetensors");
  const std::string link = folder_ + "/link.pth";
  std::filesystem::create_symlink(Backbone(), link);
  const struct {
    std::vector<std::string> flags;
    std::string error;
  } kCases[] = {
      {{"--checkpoint=" + Backbone() + "," + Backbone()},
       "INVALID_ARGUMENT: " + Backbone() + ": is given twice; --checkpoint wants one file for each part\n"},
      {{"--checkpoint=" + Backbone() + "," + link},
       "INVALID_ARGUMENT: " + link + ": is given twice, also as " + Backbone() + "; "},
      {{"--checkpoint=" + Backbone() + "," + Head() + "," + OtherHead()},
       "INVALID_ARGUMENT: " + OtherHead() + ": is one of 3 checkpoints, but " + TwoFilesModel() +
           " is 2 files: " + parts + "\n"},
      {{"--checkpoint=" + Head() + "," + OtherHead()},
       "FAILED_PRECONDITION: " + OtherHead() + ": fills linear_head of " + TwoFilesModel() + ", as " + Head() +
           " does\n  leave one of them out; the parts are " + parts + "\n"},
      {{"--checkpoint=" + Backbone()},
       "INVALID_ARGUMENT: " + Backbone() + ": fills a part of " + TwoFilesModel() +
           ", and no file is given for linear_head\n"
           "  pass --checkpoint=" +
           Backbone() + "," + FeaturesModel() + "_linear_head.pth\n"},
      {{"--checkpoint=" + Head()},
       "INVALID_ARGUMENT: " + Head() + ": fills a part of " + TwoFilesModel() +
           ", and no file is given for backbone\n"},
      {{"--checkpoint=" + Head() + "," + other_backbone},
       "FAILED_PRECONDITION: " + other_backbone + ": does not fit backbone of " + TwoFilesModel() +
           " (layout original): 1 unexpected\n"
           "  unexpected: register_tokens [1, 4, 24]"},
      {{"--checkpoint=" + other_backbone},
       "FAILED_PRECONDITION: " + other_backbone + ": does not fit backbone of " + TwoFilesModel() + " "},
      {{"--checkpoint=" + Backbone() + "," + Head(), "--layout=transformers"},
       "FAILED_PRECONDITION: " + Backbone() + ": does not fit backbone of " + TwoFilesModel() +
           " (layout transformers): "},
      {{"--checkpoint=" + Backbone() + "," + Head(), "--layout=original,transformers"},
       "INVALID_ARGUMENT: unknown layout \"transformers\""},
      {{"--checkpoint=" + Backbone() + "," + Head(), "--layout=auto,auto,auto"},
       "INVALID_ARGUMENT: --layout=auto,auto,auto: wants one value, or one for each of 2 checkpoints, has 3\n"},
      {{"--weights=published"}, "NOT_FOUND: --weights=published: no checkpoint of " + TwoFilesModel() + "\n"},
      {{"--weights=seeded", "--target=nuke"},
       "INVALID_ARGUMENT: --target=nuke: " + TwoFilesModel() + " does not support this target: "},
  };
  for (const auto& test : kCases) {
    const ToolResult result = Export(test.flags);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith(test.error));
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(FileNames(folder_), ElementsAre("link.pth"));
  }
}

TEST_F(TwoFilesTest, AHeadOfAnotherModelIsNamed) {
  const ToolResult result = RunTool(
      "export",
      {"--model=" + ExampleModel("two files of other shapes"), "--out=m.pt", "--plugin_path=" + DataPath("models"),
       "--checkpoint=" + Head() + "," +
           DataPath("tests/checkpoints/" + ExampleModel("features with registers") + ".safetensors")},
      folder_);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: " + Head() + ": does not fit linear_head of " +
                                     ExampleModel("two files of other shapes") +
                                     " (layout original): 1 of wrong "
                                     "shape\n"));
  EXPECT_THAT(result.err, testing::EndsWith("\n  it fits linear_head of " + TwoFilesModel() + "\n"));
}

TEST_F(TwoFilesTest, InspectSaysWhatAHeadFills) {
  const ToolResult result =
      RunTool("inspect", {"--checkpoint=" + Head(), "--plugin_path=" + DataPath("models")}, folder_);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nfits linear_head of " + TwoFilesModel() + "\n"));
}

TEST_F(TwoFilesTest, InspectSaysWhichPartEachFileFills) {
  const ToolResult any = Inspect({"--checkpoint=" + Head() + "," + Backbone()});
  EXPECT_EQ(any.exit_status, 0) << any.err;
  EXPECT_THAT(
      any.out,
      AllOf(StartsWith(Head() + ": safetensors, "), HasSubstr("\nfits linear_head of " + TwoFilesModel() + "\n"),
            HasSubstr("\n" + Backbone() + ": torch.save (zip), "), HasSubstr("\nfits " + FeaturesModel() + "\n"),
            HasSubstr("\ntogether they fill " + TwoFilesModel() + "\n\n")));
  EXPECT_THAT(Inspect({"--checkpoint=" + Head() + "," + OtherHead()}).out,
              HasSubstr("\ntogether they fill no model of the catalog\n\n"));
}

TEST_F(TwoFilesTest, InspectPrintsTheMappingOfEachPart) {
  const ToolResult result = Inspect({"--checkpoint=" + Head() + "," + Transformers(), "--model=" + TwoFilesModel()});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("\n" + Head() + " is for linear_head of " + TwoFilesModel() + "\n\nfits "),
                    HasSubstr("\n" + Transformers() + " is for backbone of " + TwoFilesModel() + "\n\nfits "),
                    HasSubstr("layout transformers, 63 of 63 slots filled\n"),
                    HasSubstr("\n  weight  <- weight  [10, 48]\n"), HasSubstr("  blocks.{0..3}.attn.qkv.weight ")));
  const ToolResult one = Inspect({"--checkpoint=" + Head(), "--model=" + TwoFilesModel()});
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("\nno file is given for backbone of " + TwoFilesModel() + "\n\n"));
}

TEST_F(TwoFilesTest, InspectPrintsWhatKeepsEachFileFromFitting) {
  const std::string other = DataPath("tests/checkpoints/" + ExampleModel("features with registers") + ".safetensors");
  const ToolResult result = Inspect({"--checkpoint=" + other + "," + Head(), "--model=" + TwoFilesModel()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("\ndoes not fit backbone of " + TwoFilesModel() + ": "),
                                HasSubstr("  unexpected: register_tokens [1, 4, 24]\n"),
                                HasSubstr("\nfits linear_head of " + TwoFilesModel() + ": ")));
  EXPECT_THAT(result.err,
              StartsWith("FAILED_PRECONDITION: " + other + ": does not fit backbone of " + TwoFilesModel() + " "));
  for (const auto& [flags, error] : std::vector<std::pair<std::string, std::string>>{
           {"--layout=a,b,c", "INVALID_ARGUMENT: --layout=a,b,c: wants one value, or one for each of 2 checkpoints"},
           {"--draft", "INVALID_ARGUMENT: --draft wants one checkpoint"}}) {
    EXPECT_THAT(Inspect({"--checkpoint=" + Backbone() + "," + Head(), flags}).err, StartsWith(error));
  }
}

TEST_F(TwoFilesTest, TheModelThatBothFilesFillIsFoundWithoutItsName) {
  const auto recognise = [&](const std::string& files) {
    return RunTool("export", {"--checkpoint=" + files, "--plugin_path=" + DataPath("models")}, folder_);
  };
  const ToolResult both = recognise(Head() + "," + Backbone());
  EXPECT_EQ(both.exit_status, 0) << both.err;
  EXPECT_EQ(both.err, "recognised " + TwoFilesModel() + ", the only model that fits\n");
  EXPECT_THAT(FileNames(folder_), ElementsAre(TwoFilesModel() + ".manifest.json", TwoFilesModel() + ".pt"));
  EXPECT_THAT(recognise(Backbone()).err, StartsWith("recognised " + FeaturesModel() + ", the only model that fits\n"));
  EXPECT_EQ(recognise(Head()).err, "FAILED_PRECONDITION: " + Head() +
                                       ": is one of several files that fill a model: linear_head of " +
                                       TwoFilesModel() +
                                       "\n  pass all of them: "
                                       "--checkpoint=" +
                                       Head() + ",FILE\n");
  EXPECT_THAT(recognise(Head() + "," + OtherHead()).err,
              StartsWith("FAILED_PRECONDITION: " + Head() + " and " + OtherHead() +
                         ": fill no model of the catalog together\n"));
}

TEST_F(TwoFilesTest, PublishedFilesInTheUsersFolderAreFound) {
  std::filesystem::copy(Backbone(), folder_ + "/" + FeaturesModel() + ".pth");
  const ToolResult one = Export(std::vector<std::string>{});
  EXPECT_EQ(one.exit_status, 0);
  EXPECT_THAT(one.err, StartsWith("no " + FeaturesModel() +
                                  "_linear_head.pth in this folder or in the Hugging Face cache: used "
                                  "SEEDED weights.\n"));
  std::filesystem::copy(Head(), folder_ + "/" + FeaturesModel() + "_linear_head.pth");
  const ToolResult both = Export(std::vector<std::string>{});
  EXPECT_EQ(both.exit_status, 0);
  EXPECT_EQ(both.err,
            "used the checkpoints ./" + FeaturesModel() + ".pth and ./" + FeaturesModel() + "_linear_head.pth\n");
  EXPECT_EQ(Manifest()["weights"]["checkpoints"].size(), 2);
}

TEST_F(TwoFilesTest, ConvertWritesTheOneFileOfAHubWhichGivesTheSameArtifact) {
  ASSERT_EQ(Export(Backbone(), Head()).exit_status, 0);
  const std::string artifact = Artifact();
  for (const std::string layout : {"original", "transformers"}) {
    const ToolResult converted = Convert({absl::StrCat("--model=", TwoFilesModel()), "--layout=" + layout});
    ASSERT_EQ(converted.exit_status, 0) << converted.err;
    EXPECT_THAT(converted.out, HasSubstr("backbone transformers, linear_head original to " + layout + "\n"));
    const ToolResult exported = Export({"--checkpoint=one.safetensors"});
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
    EXPECT_EQ(Manifest()["weights"]["checkpoints"][0]["layout"], layout);
    EXPECT_TRUE(Artifact() == artifact) << layout;
  }
}

TEST_F(TwoFilesTest, ConvertLeavesOutKeysOfAFileByName) {
  const std::string other = DataPath("tests/checkpoints/" + ExampleModel("features with registers") + ".safetensors");
  const auto convert = [&](const std::string& leave_out) {
    return RunTool("convert",
                   {"--checkpoint=" + Head() + "," + other, "--out=one.safetensors", "--layout=original",
                    "--model=" + TwoFilesModel(), "--plugin_path=" + DataPath("models"), "--leave_out=" + leave_out},
                   folder_);
  };
  EXPECT_THAT(convert("").err,
              AllOf(HasSubstr("  unexpected: register_tokens [1, 4, 24]\n"),
                    HasSubstr("--leave_out=KEY,... leaves out keys for which the model has no place")));
  EXPECT_THAT(convert("register_tokens,cls_token").err,
              HasSubstr("--leave_out=cls_token: names nothing that layout original cannot hold"));
  const ToolResult one = convert("register_tokens");
  ASSERT_EQ(one.exit_status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("left out  register_tokens: the model has no place for it\n"));
  EXPECT_THAT(ReadFile(folder_ + "/one.safetensors"),
              AllOf(HasSubstr("backbone.cls_token"), testing::Not(HasSubstr("register_tokens"))));
}

TEST_F(TwoFilesTest, ConvertWantsTheModelOfSeveralFiles) {
  const ToolResult result = Convert({"--layout=original"});
  EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: --model is missing"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/one.safetensors"));
}

}  // namespace
}  // namespace modelport
