#include "tools/package/package_request.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> Models(const PackageRequest& request) {
  std::vector<std::string> models;
  for (const ChosenPackage& package : request.packages) models.push_back(package.model);
  return models;
}

absl::StatusOr<PackageRequest> Parse(const std::vector<const char*>& arguments) {
  setenv("BUILD_WORKING_DIRECTORY", "/user", 1);
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  PackageFlags flags;
  RETURN_IF_ERROR(ParseFlags(flags.group, arguments).status());
  return ParsePackageRequest(BuiltInPlugins(), flags);
}

TEST(PackageRequestTest, OneModelIsTheFolderItself) {
  ASSERT_OK_AND_ASSIGN(const PackageRequest request, Parse({"--model=dav2_vits", "--nuke=14"}));
  EXPECT_THAT(Models(request), ElementsAre("dav2_vits"));
  EXPECT_FALSE(request.is_list);
  EXPECT_EQ(request.out, "/user/dav2_vits");
  EXPECT_EQ(request.options.request.target->name, "nuke");
  EXPECT_EQ(request.options.request.runtime->name, "1.12");
}

TEST(PackageRequestTest, SeveralModelsAreFoldersInOne) {
  ASSERT_OK_AND_ASSIGN(const PackageRequest request,
                       Parse({"--model=dav2_vits,da3_small", "--nuke=14", "--out=cattery"}));
  EXPECT_THAT(Models(request), ElementsAre("dav2_vits", "da3_small"));
  EXPECT_TRUE(request.is_list);
  EXPECT_EQ(request.out, "/user/cattery");
  ASSERT_OK_AND_ASSIGN(const PackageRequest here, Parse({"--model=dav2_vits,da3_small", "--nuke=14"}));
  EXPECT_EQ(here.out, "/user/");
}

TEST(PackageRequestTest, EachOfSeveralModelsHasACheckpointOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(const PackageRequest request,
                       Parse({"--model=dav2_vits,da3_small", "--nuke=13,14", "--checkpoint=a.pth,b.safetensors"}));
  std::vector<std::string> files;
  for (const ChosenPackage& package : request.packages) files.push_back(package.checkpoint);
  EXPECT_THAT(files, ElementsAre("a.pth", "a.pth", "b.safetensors", "b.safetensors"));
  ASSERT_OK_AND_ASSIGN(const PackageRequest one, Parse({"--model=dav2_vits", "--nuke=14", "--checkpoint=a,b"}));
  EXPECT_EQ(one.packages.front().checkpoint, "a,b");
}

TEST(PackageRequestTest, SeveralWrappersAreFoldersOfTheSameModel) {
  const std::vector<const char*> flags = {"--model=resnet18,resnet50", "--nuke=14", "--wrapper=features,classes"};
  ASSERT_OK_AND_ASSIGN(const PackageRequest request, Parse(flags));
  std::vector<std::string> names;
  for (const ChosenPackage& package : request.packages) names.push_back(PackageName(request, package));
  EXPECT_THAT(names, ElementsAre("resnet18", "resnet18_classes", "resnet50", "resnet50_classes"));
  EXPECT_TRUE(request.is_list);
  ASSERT_OK_AND_ASSIGN(const PackageRequest one, Parse({"--model=resnet18", "--nuke=14", "--wrapper=classes"}));
  EXPECT_FALSE(one.is_list);
  EXPECT_EQ(one.out, "/user/resnet18_classes");
}

TEST(PackageRequestTest, SeveralReleasesOfAHostArePackagesOfOtherNames) {
  const std::vector<const char*> flags = {"--model=resnet18", "--nuke=13,15.1", "--wrapper=features,classes"};
  ASSERT_OK_AND_ASSIGN(const PackageRequest request, Parse(flags));
  std::vector<std::string> names, runtimes;
  for (const ChosenPackage& package : request.packages) {
    names.push_back(PackageName(request, package));
    runtimes.push_back(std::string(package.host.runtime->name));
  }
  EXPECT_THAT(names, ElementsAre("resnet18_nuke13", "resnet18_nuke15_1", "resnet18_classes_nuke13",
                                 "resnet18_classes_nuke15_1"));
  EXPECT_THAT(runtimes, ElementsAre("1.6", "2.1", "1.6", "2.1"));
  ASSERT_OK_AND_ASSIGN(const PackageRequest named, Parse({"--model=resnet18", "--nuke=13,14", "--name=labels"}));
  EXPECT_EQ(PackageName(named, named.packages.back()), "labels_nuke14");
  ASSERT_OK_AND_ASSIGN(const PackageRequest one, Parse({"--model=resnet18", "--nuke=13", "--name=labels"}));
  EXPECT_EQ(one.out, "/user/labels");
}

TEST(PackageRequestTest, EachReleaseOfAHostHasAChoiceOfItsOwn) {
  const std::vector<const char*> flags = {"--model=resnet18,resnet50", "--nuke=13,15.1", "--choice=cnn"};
  ASSERT_OK_AND_ASSIGN(const PackageRequest request, Parse(flags));
  std::vector<std::string> choices;
  for (const ChosenPackage& package : request.packages) choices.push_back(package.choice);
  EXPECT_THAT(choices, ElementsAre("cnn_nuke13", "cnn_nuke15_1", "cnn_nuke13", "cnn_nuke15_1"));
  ASSERT_OK_AND_ASSIGN(const PackageRequest one, Parse({"--model=resnet18,resnet50", "--nuke=13", "--choice=cnn"}));
  EXPECT_EQ(one.packages.front().choice, "cnn");
}

TEST(PackageRequestTest, AFamilyIsItsPublicModels) {
  ASSERT_OK_AND_ASSIGN(const PackageRequest request, Parse({"--family=depth_anything_v2", "--nuke=14"}));
  EXPECT_TRUE(request.is_list);
  EXPECT_THAT(Models(request), Contains("dav2_vits"));
  EXPECT_THAT(Models(request), Contains("dav2_metric_vkitti_vitl"));
  EXPECT_THAT(Models(request), Not(Contains("dav2_vitg")));
  EXPECT_THAT(Models(request), Not(Contains("da3_small")));
  EXPECT_THAT(request.left_out, ElementsAre("dav2_vitg"));
}

TEST(PackageRequestTest, WrongFlagsAreNamed) {
  const struct {
    std::vector<const char*> flags;
    std::string message;
  } cases[] = {
      {{}, "--model is missing"},
      {{"--model=dav2_vits", "--family=dinov2"}, "--family and --model do not go together"},
      {{"--model=dav2_vits,da3_small,dav2_vits"}, "--model=dav2_vits,da3_small,dav2_vits: names dav2_vits twice"},
      {{"--model=resnet18", "--nuke=14", "--wrapper=classes,"}, "--wrapper=classes,: wants a name before and after"},
      {{"--model=dav2_vits", "--nuke=14", "--name=a-b"}, "--name=a-b: wants a letter and up to 63 letters, digits and"},
      {{"--model=dav2_vits,da3_small", "--nuke=14", "--name=near"}, "--name=near: is for one node of one model"},
      {{"--model=dav2_vits", "--nuke=14", "--choice=depth"}, "--choice=depth: wants several models"},
      {{"--model=dav2_vits,dav2_vitb", "--nuke=14", "--choice=a-b"}, "--choice=a-b: wants a name of letters, digits"},
      {{"--model=dav2_vits,dav2_vitb", "--nuke=14", "--choice=dav2_vitb"}, "--choice=dav2_vitb: is the name of a pack"},
      {{"--model=dav2_vits", "--nuke=13,14", "--choice=depth"}, "--choice=depth: wants several models"},
      {{"--model=dav2_vits,dav2_vitb", "--nuke=13,14", "--name=a", "--choice=depth"}, "--name=a: is for one node"},
      {{"--model=dav2_vits", "--nuke=13,14", "--name=a1234567890123456789012345678901234567890123456789012345678"},
       "a1234567890123456789012345678901234567890123456789012345678_nuke13: a name has at most 64 characters"},
      {{"--model=resnet18,resnet50", "--nuke=14", "--choice=cnn", "--wrapper=features,classes"},
       "--choice=cnn: its models have one wrapper"},
      {{"--model=dav2_vits,dav2_vitb", "--target=houdini", "--choice=depth"},
       "--choice=depth: Houdini has no nodes that choose between models"},
      {{"--model=dav2_vits,"}, "--model=dav2_vits,: wants a name before and after each comma"},
      {{"--model=dav2_vits,da3_small", "--nuke=14", "--checkpoint=c.pth"},
       "--checkpoint=c.pth: wants one file for each of the 2 models, in their order, has 1"},
      {{"--family=dinov2", "--nuke=14", "--checkpoint=c.pth"}, "--family and --checkpoint do not go together"},
      {{"--model=dav2_vits", "--nuke=12"}, "--nuke=12: unknown Nuke"},
      {{"--model=dav2_vits"}, "a host is missing: pass --nuke=VERSION, the oldest Nuke that has to load the package"},
      {{"--model=dav2_vits", "--nuke=14", "--noverify"}, "--noverify: no such flag"},
      {{"--model=dav2_vits", "--nuke=14", "--with_preprocess"}, "--with_preprocess: no such flag"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Parse(c.flags), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(c.message)));
  }
  EXPECT_THAT(Parse({"--family=depth_anything"}),
              StatusIs(absl::StatusCode::kNotFound, StartsWith("--family=depth_anything: unknown family; nearest: ")));
}

}  // namespace
}  // namespace modelport
