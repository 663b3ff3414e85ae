#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/recognise/published_file.h"

namespace modelport {
namespace {

Variant Published(const std::string& name, std::vector<PublishedFile> files) {
  Variant variant;
  variant.name = name;
  variant.files = std::move(files);
  return variant;
}

PublishedFile NamedFile(const std::string& name, const std::string& sha256 = "") {
  PublishedFile file;
  file.name = name;
  file.sha256 = sha256;
  return file;
}

GivenCheckpoint Given(const std::string& path, const std::string& bytes) {
  CheckpointContents contents;
  contents.path = path;
  contents.files.push_back({path, bytes, nullptr});
  return {Checkpoint(std::move(contents)), {}};
}

// The name of the model that is chosen, and by what; "" for none.
std::string Chosen(const std::vector<Variant>& variants, const std::vector<GivenCheckpoint>& given) {
  std::vector<CatalogEntry> entries;
  for (const Variant& variant : variants) entries.push_back({nullptr, &variant});
  const absl::optional<PublishedChoice> chosen = ChooseByPublishedFiles(entries, given);
  return chosen ? chosen->entry.variant->name + (chosen->by_digest ? " by digest" : " by name") : "";
}

const std::string kBytes = "the bytes of a file";

TEST(PublishedChoiceTest, TheNameDecidesBetweenModels) {
  const std::vector<Variant> variants = {Published("near", {NamedFile("near.pth")}),
                                         Published("far", {NamedFile("far.pth")}), Published("own", {NamedFile("")})};
  EXPECT_EQ(Chosen(variants, {Given("far.pth", kBytes)}), "far by name");
  EXPECT_EQ(Chosen(variants, {Given("/home/user/near.pth", kBytes)}), "near by name");
  EXPECT_EQ(Chosen(variants, {Given("linear.pth", kBytes)}), "");
}

TEST(PublishedChoiceTest, AnotherNameOfTheSameWeightsDecides) {
  PublishedFile far = NamedFile("far/model.safetensors");
  far.also = {"far-epoch_9.pth", "far-v2.pth"};
  const std::vector<Variant> variants = {Published("near", {NamedFile("near/model.safetensors")}),
                                         Published("far", {far})};
  EXPECT_EQ(Chosen(variants, {Given("/home/user/far-v2.pth", kBytes)}), "far by name");
  EXPECT_EQ(Chosen(variants, {Given("a-far-v2.pth", kBytes)}), "");
}

TEST(PublishedChoiceTest, ANameOfTwoModelsDecidesNothing) {
  const std::vector<Variant> variants = {Published("a", {NamedFile("m.pth")}), Published("b", {NamedFile("m.pth")})};
  EXPECT_EQ(Chosen(variants, {Given("m.pth", kBytes)}), "");
  const std::vector<Variant> folders = {Published("a", {NamedFile("a/m.pth")}), Published("b", {NamedFile("b/m.pth")})};
  EXPECT_EQ(Chosen(folders, {Given("m.pth", kBytes)}), "");
  EXPECT_EQ(Chosen(folders, {Given("/x/b/m.pth", kBytes)}), "b by name");
}

TEST(PublishedChoiceTest, TheContentDecidesOverTheName) {
  const std::string digest = Sha256Of(kBytes);
  for (const std::string& stated : {digest, digest.substr(0, 8)}) {
    const std::vector<Variant> variants = {Published("a", {NamedFile("a.pth", stated)}),
                                           Published("b", {NamedFile("b.pth", std::string(64, '0'))})};
    EXPECT_EQ(Chosen(variants, {Given("b.pth", kBytes)}), "a by digest");
    EXPECT_EQ(Chosen(variants, {Given("b.pth", "other bytes")}), "b by name");
  }
}

TEST(PublishedChoiceTest, OfTwoModelsWithOneContentTheNameDecides) {
  const std::string digest = Sha256Of(kBytes);
  const std::vector<Variant> variants = {Published("a", {NamedFile("a.pth", digest)}),
                                         Published("b", {NamedFile("b.pth", digest)}),
                                         Published("c", {NamedFile("c.pth")})};
  EXPECT_EQ(Chosen(variants, {Given("b.pth", kBytes)}), "b by name");
  EXPECT_EQ(Chosen(variants, {Given("c.pth", kBytes)}), "");
}

// Such as heads of two kinds for one backbone.
TEST(PublishedChoiceTest, OfSeveralFilesTheModelWithMostDecides) {
  const std::vector<Variant> variants = {Published("x", {NamedFile("backbone.pth"), NamedFile("x_head.pth")}),
                                         Published("y", {NamedFile("backbone.pth"), NamedFile("y_head.pth")})};
  EXPECT_EQ(Chosen(variants, {Given("backbone.pth", kBytes), Given("y_head.pth", kBytes)}), "y by name");
  EXPECT_EQ(Chosen(variants, {Given("backbone.pth", kBytes), Given("head.pth", kBytes)}), "");
}

TEST(PublishedChoiceTest, AFileOfTheWholeIsOneOfTheModel) {
  std::vector<Variant> variants = {Published("x", {NamedFile("a.pth"), NamedFile("b.pth")}),
                                   Published("y", {NamedFile("c.pth")})};
  variants[0].whole = NamedFile("whole.safetensors");
  EXPECT_EQ(Chosen(variants, {Given("whole.safetensors", kBytes)}), "x by name");
}

// Files of equal keys, as two networks of one kind have, are told apart by nothing else.
TEST(CheckPublishedFilesTest, FilesInTheWrongOrderAreRefused) {
  Variant variant =
      Published("mixed", {NamedFile("weak.pth", Sha256Of("weak")), NamedFile("strong.pth", Sha256Of("strong"))});
  variant.files[0].part = "weak";
  variant.files[1].part = "strong";
  const Plugin plugin;
  const CatalogEntry entry = {&plugin, &variant};
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(YamlTree(), {}));
  const auto check = [&](const std::string& first, const std::string& second) {
    std::vector<MappedPart> parts;
    parts.push_back({{&variant.files[0], nullptr, {}}, Given("a.pth", first).checkpoint, {}});
    parts.push_back({{&variant.files[1], nullptr, {}}, Given("b.pth", second).checkpoint, {}});
    return CheckPublishedFiles(registry, entry, parts, {"sha256:" + Sha256Of(first), "sha256:" + Sha256Of(second)});
  };
  EXPECT_THAT(check("weak", "strong"), IsOk());
  EXPECT_THAT(check("own", "strong"), IsOk());
  EXPECT_THAT(check("strong", "weak"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "a.pth: is the published file of the part strong of mixed, not of weak\n"
                       "  give the files in the order of the parts: weak,strong"));
}

}  // namespace
}  // namespace modelport
