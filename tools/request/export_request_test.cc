#include "tools/request/export_request.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A user in an empty folder, who has no checkpoint in the Hugging Face cache.
class ExportRequestTest : public testing::Test {
 protected:
  ExportRequestTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    unsetenv("MODELPORT_WORKING_DIRECTORY");
    setenv("BUILD_WORKING_DIRECTORY", folder_.c_str(), 1);
    setenv("HF_HUB_CACHE", folder_.c_str(), 1);
  }

  static absl::StatusOr<ExportRequest> Parse(const std::vector<const char*>& arguments) {
    FlagGroup group;
    ExportFlags flags(group);
    RETURN_IF_ERROR(ParseFlags(group, arguments).status());
    return ParseExportRequest(BuiltInPlugins(), flags);
  }

  const std::string folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/user";
};

TEST_F(ExportRequestTest, FlagsBecomeOptions) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request,
                       Parse({"--model=dav2_vits", "--weights=seeded:7", "--dtype=float16", "--target=nuke",
                              "--runtime=1.12", "--out=a/m.pt", "--noverify", "--allow_nonfinite"}));
  const ExportOptions& options = request.options;
  EXPECT_EQ(options.request.entry.variant->name, "dav2_vits");
  ASSERT_TRUE(std::holds_alternative<Seeded>(options.request.weights));
  EXPECT_EQ(std::get_if<Seeded>(&options.request.weights)->seed, 7);
  EXPECT_EQ(options.request.dtype, DType::kFloat16);
  EXPECT_EQ(options.request.target->name, "nuke");
  EXPECT_EQ(options.request.runtime->name, "1.12");
  EXPECT_EQ(options.out, folder_ + "/a/m.pt");
  EXPECT_FALSE(options.prove);
  EXPECT_TRUE(options.allow_nonfinite);
  EXPECT_EQ(request.choice, "");
  EXPECT_FALSE(options.request.with_preprocess);
}

TEST_F(ExportRequestTest, TwoValuesOfTheFlagsDoNotSeeEachOther) {
  FlagGroup one_group, other_group;
  ExportFlags one(one_group), other(other_group);
  ASSERT_OK(ParseFlags(one_group, {"--model=dav2_vits", "--weights=seeded:7", "--nuke=14", "--out=a.pt"}));
  ASSERT_OK(ParseFlags(other_group, {"--model=resnet18", "--weights=seeded", "--dtype=float16"}));
  ASSERT_OK_AND_ASSIGN(const ExportRequest first, ParseExportRequest(BuiltInPlugins(), one));
  ASSERT_OK_AND_ASSIGN(const ExportRequest second, ParseExportRequest(BuiltInPlugins(), other));
  EXPECT_EQ(first.options.request.entry.variant->name, "dav2_vits");
  EXPECT_EQ(first.options.request.dtype, DType::kFloat32);
  EXPECT_EQ(first.options.request.target->name, "nuke");
  EXPECT_EQ(first.options.out, folder_ + "/a.pt");
  EXPECT_EQ(second.options.request.entry.variant->name, "resnet18");
  EXPECT_EQ(second.options.request.dtype, DType::kFloat16);
  EXPECT_EQ(second.options.request.target->name, "libtorch");
  EXPECT_EQ(second.options.out, folder_ + "/resnet18.pt");
}

TEST_F(ExportRequestTest, ImagesArePreparedOnDemand) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request,
                       Parse({"--model=dav2_vits", "--weights=seeded", "--with_preprocess"}));
  EXPECT_TRUE(request.options.request.with_preprocess);
}

TEST_F(ExportRequestTest, AWrapperThatIsNotTheDefaultIsInTheNameOfTheFile) {
  const auto out = [](const char* wrapper) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const ExportRequest request,
                     Parse({"--model=resnet18", "--weights=seeded", "--nuke=14", wrapper}));
    return request.options.out;
  };
  EXPECT_EQ(out("--wrapper=").value_or("none"), folder_ + "/resnet18.pt");
  EXPECT_EQ(out("--wrapper=features").value_or("none"), folder_ + "/resnet18.pt");
  EXPECT_EQ(out("--wrapper=classes").value_or("none"), folder_ + "/resnet18_classes.pt");
  EXPECT_THAT(
      Parse({"--model=resnet18", "--weights=seeded", "--wrapper=classes"}),
      StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("--wrapper=classes: artifacts for --target=libtorch")));
}

TEST_F(ExportRequestTest, TheCheckpointIsTheUsersFile) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request,
                       Parse({"--model=dav2_vits", "--checkpoint=c.pth", "--layout=transformers", "--state_dict=ema"}));
  const auto* const files = std::get_if<CheckpointFiles>(&request.options.request.weights);
  ASSERT_NE(files, nullptr);
  ASSERT_EQ(files->size(), 1);
  EXPECT_EQ(files->front().path, folder_ + "/c.pth");
  EXPECT_EQ(files->front().choice.layout, "transformers");
  EXPECT_EQ(files->front().choice.state_dict, "ema");
  EXPECT_EQ(request.options.out, folder_ + "/dav2_vits.pt");
  EXPECT_EQ(request.choice, "");
}

TEST_F(ExportRequestTest, EachOfSeveralCheckpointsHasAChoice) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request, Parse({"--model=dinov2_vits14_lc1", "--checkpoint=b.pth,h.pth",
                                                           "--layout=timm,original", "--state_dict=,ema"}));
  const auto* const files = std::get_if<CheckpointFiles>(&request.options.request.weights);
  ASSERT_NE(files, nullptr);
  ASSERT_EQ(files->size(), 2);
  EXPECT_EQ(files->at(0).path, folder_ + "/b.pth");
  EXPECT_EQ(files->at(0).choice.layout, "timm");
  EXPECT_EQ(files->at(0).choice.state_dict, absl::nullopt);
  EXPECT_EQ(files->at(1).path, folder_ + "/h.pth");
  EXPECT_EQ(files->at(1).choice.layout, "original");
  EXPECT_EQ(files->at(1).choice.state_dict, "ema");
}

// A comma in a file's own name.
TEST_F(ExportRequestTest, AnExistingFileWithACommaIsOneCheckpoint) {
  std::ofstream(folder_ + "/a,b.pth") << "weights";
  ASSERT_OK_AND_ASSIGN(const ExportRequest request, Parse({"--model=dav2_vits", "--checkpoint=a,b.pth"}));
  EXPECT_THAT(CheckpointPaths(request.options.request.weights), testing::ElementsAre(folder_ + "/a,b.pth"));
}

TEST_F(ExportRequestTest, APublishedFileInTheFolderIsUsedAndNamed) {
  const std::string path = folder_ + "/depth_anything_v2_vits.pth";
  std::ofstream(path) << "weights";
  ASSERT_OK_AND_ASSIGN(const ExportRequest request, Parse({"--model=dav2_vits"}));
  EXPECT_THAT(CheckpointPaths(request.options.request.weights), testing::ElementsAre(path));
  EXPECT_EQ(request.choice, "used the checkpoint " + path + "\n");
}

TEST_F(ExportRequestTest, WithoutAPublishedFileWeightsAreSeededAndTheUserIsTold) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request, Parse({"--model=dav2_vits"}));
  EXPECT_TRUE(std::holds_alternative<Seeded>(request.options.request.weights));
  EXPECT_THAT(request.choice,
              AllOf(StartsWith("no depth_anything_v2_vits.pth in this folder or in the Hugging Face cache: used SEEDED "
                               "weights.\n"),
                    HasSubstr("and pass --checkpoint=depth_anything_v2_vits.pth\n")));
  EXPECT_THAT(Parse({"--model=dav2_vits", "--weights=published"}),
              StatusIs(absl::StatusCode::kNotFound, StartsWith("--weights=published: no checkpoint of dav2_vits\n")));
}

TEST_F(ExportRequestTest, ArgumentsOfTheModelAreSet) {
  ASSERT_OK_AND_ASSIGN(const ExportRequest request,
                       Parse({"--model=dav2_metric_vkitti_vits", "--weights=seeded", "--set=max_depth=35"}));
  EXPECT_THAT(request.options.request.arguments, testing::ElementsAre(testing::Pair("max_depth", "35.0")));
  EXPECT_THAT(request.options.request.entry.variant->module.text, HasSubstr("max_depth=35.0"));
  EXPECT_EQ(request.options.out, folder_ + "/dav2_metric_vkitti_vits.pt");
}

TEST_F(ExportRequestTest, WrongFlagsAreNamed) {
  const struct {
    std::vector<const char*> flags;
    std::string message;
  } kCases[] = {
      {{"--model="}, "--model is missing"},
      {{"--weights=seeded", "--checkpoint=c.pth"}, "--checkpoint and --weights do not go together"},
      {{"--weights=seed"}, "--weights=seed: wants published, seeded or seeded:SEED"},
      {{"--weights=seeded:"}, "--weights=seeded:: wants published, seeded or seeded:SEED"},
      {{"--weights=seeded:-1"}, "--weights=seeded:-1: wants published, seeded or seeded:SEED"},
      {{"--weights=seeded", "--layout=timm"}, "--layout=timm: seeded weights have the original layout only"},
      {{"--weights=seeded", "--state_dict=ema"}, "--state_dict is for checkpoints"},
      {{"--checkpoint=a.pth,b.pth"}, "--checkpoint=a.pth,b.pth: dav2_vits is one file, not several"},
      {{"--set=max_depth=1"}, "--set=max_depth=1: dav2_vits has no argument \"max_depth\""},
      {{"--name=2d"}, "--name=2d: wants a letter and up to 63 letters, digits and underscores behind it"},
      {{"--dtype=float64"}, "--dtype=float64: wants float32, float16 or bfloat16"},
      {{"--dtype=int64"}, "--dtype=int64: wants float32, float16 or bfloat16"},
  };
  for (const auto& test : kCases) {
    std::vector<const char*> flags = {"--model=dav2_vits"};
    flags.insert(flags.end(), test.flags.begin(), test.flags.end());
    EXPECT_THAT(Parse(flags), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(test.message)));
  }
  EXPECT_THAT(Parse({"--model=dav2_vis"}), StatusIs(absl::StatusCode::kNotFound, HasSubstr("dav2_vits")));
  for (const char* flag : {"--target=maya", "--runtime=0.4"}) {
    EXPECT_THAT(std::string(Parse({"--model=dav2_vits", flag}).status().message()), StartsWith(flag));
  }
}

}  // namespace
}  // namespace modelport
