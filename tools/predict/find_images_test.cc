#include "tools/predict/find_images.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/io/input_record.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A new folder with empty files of these names.
std::string FolderOf(const std::vector<std::string>& names) {
  const std::string folder = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  for (const std::string& name : names) std::ofstream(folder + "/" + name) << name;
  return folder;
}

// The names of the images that `inputs` give, and their numbers.
std::vector<std::string> Names(const absl::StatusOr<FoundImages>& found) {
  std::vector<std::string> names;
  if (!found.ok()) return {found.status().ToString()};
  for (const FoundImage& image : found->images) {
    names.push_back(
        absl::StrCat(fs::path(image.path).filename().string(), image.number.empty() ? "" : " ", image.number));
  }
  return names;
}

TEST(FindImages, TakesAFileOfAnyName) {
  const std::string folder = FolderOf({"photo", "50%d[1]*.jpg"});
  EXPECT_THAT(Names(FindImages({folder + "/photo", folder + "/50%d[1]*.jpg"})), ElementsAre("photo", "50%d[1]*.jpg"));
}

TEST(FindImages, TakesTheImagesOfAFolderInOrder) {
  const std::string folder = FolderOf({"b.JPG", "a.tiff", "notes.txt", "c.exr", "d.png", "e.jpeg"});
  fs::create_directories(folder + "/sub.png");
  EXPECT_THAT(Names(FindImages({folder})), ElementsAre("a.tiff", "b.JPG", "c.exr", "d.png", "e.jpeg"));
}

TEST(FindImages, TakesASequenceInOrderOfItsNumbers) {
  const std::string folder = FolderOf({"plate.1001.exr", "plate.0999.exr", "plate.10000.exr", "plate.1.exr",
                                       "plate.abcd.exr", "other.1001.exr", "plate.1002.jpg", "plate.01001.exr"});
  for (const char* pattern : {"/plate.%04d.exr", "/plate.####.exr"}) {
    EXPECT_THAT(Names(FindImages({folder + pattern}, MissingFrames::kSkip)),
                ElementsAre("plate.0999.exr 0999", "plate.1001.exr 1001", "plate.10000.exr 10000"));
  }
}

TEST(FindImages, NamesTheMissingFramesOfASequence) {
  const std::string folder = FolderOf({"p.0001.png", "p.0002.png", "p.0004.png", "p.0009.png"});
  const std::string lacks = "p.%04d.png: lacks the frames 0003, 0005-0008 between 0001 and 0009";
  EXPECT_THAT(FindImages({folder + "/p.%04d.png"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(lacks + "\n  --missing=skip goes on without them")));
  const auto found = FindImages({folder + "/p.%04d.png"}, MissingFrames::kSkip);
  EXPECT_THAT(Names(found), ElementsAre("p.0001.png 0001", "p.0002.png 0002", "p.0004.png 0004", "p.0009.png 0009"));
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr(lacks)));
  ASSERT_OK_AND_ASSIGN(const FoundImages whole,
                       FindImages({FolderOf({"p.8.png", "p.9.png", "p.10.png"}) + "/p.#.png"}));
  EXPECT_THAT(whole.notes, testing::IsEmpty());
}

TEST(FindImages, LeavesHiddenFilesOutAndCountsOtherFormats) {
  const std::string folder = FolderOf({"._a.jpg", "a.jpg", "b.heic", "c.HEIC", "d.webp", "notes.txt"});
  const auto found = FindImages({folder});
  EXPECT_THAT(Names(found), ElementsAre("a.jpg"));
  EXPECT_THAT(found->notes, ElementsAre(HasSubstr("left out 2 files of .heic, 1 file of .webp, which are not read")));
  EXPECT_THAT(FindImages({FolderOf({"b.heic", "._a.jpg"})}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("it has 1 file of .heic: save them")));
}

TEST(FindImages, FoldersOfAWildcardAreNoPatterns) {
  const std::string folder = FolderOf({});
  for (const char* name : {"[2024] shots", "2", "a*b"}) {
    fs::create_directories(folder + "/" + name);
    std::ofstream(folder + "/" + name + "/of " + name + ".jpg") << "x";
  }
  EXPECT_THAT(Names(FindImages({folder + "/[2024] shots/*.jpg"})), ElementsAre("of [2024] shots.jpg"));
  EXPECT_THAT(Names(FindImages({folder + "/a*b/*.jpg"})), ElementsAre("of a*b.jpg"));
  EXPECT_THAT(Names(FindImages({folder + "/[0-9]/*.jpg"})), ElementsAre("of 2.jpg"));
}

TEST(FindImages, OtherSignsInASequenceBelongToItsName) {
  const std::string folder = FolderOf({"50%_take#2.0001.png", "50%_take#2.0002.png", "take#3.0007.png"});
  EXPECT_THAT(Names(FindImages({folder + "/50%_take#2.%04d.png"})),
              ElementsAre("50%_take#2.0001.png 0001", "50%_take#2.0002.png 0002"));
  EXPECT_THAT(Names(FindImages({folder + "/take#3.####.png"})), ElementsAre("take#3.0007.png 0007"));
}

TEST(FindImages, AsksForTheNameOfAView) {
  const std::string folder = FolderOf({"plate.left.0001.exr", "as %V.png"});
  EXPECT_THAT(FindImages({folder + "/plate.%V.%04d.exr"}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("plate.%V.%04d.exr: no such file, and %V stands for a view, of which one is wanted\n"
                                 "  write its name, as in " +
                                 folder + "/plate.left.%04d.exr")));
  EXPECT_THAT(Names(FindImages({folder + "/as %V.png"})), ElementsAre("as %V.png"));
}

std::vector<FoundImage> Sequence(const std::string& name, const std::vector<std::string>& numbers) {
  std::vector<FoundImage> images;
  for (const std::string& number : numbers) images.push_back({absl::StrCat(name, ".", number, ".png"), number});
  return images;
}

std::vector<FoundImage> Files(const std::vector<std::string>& paths) {
  std::vector<FoundImage> images;
  for (const std::string& path : paths) images.push_back({path, ""});
  return images;
}

// "IMAGE COMPANION" of each pair.
std::vector<std::string> Pairs(const std::vector<FoundImage>& images, const std::vector<FoundImage>& companions) {
  const auto pairs = PairByFrame(images, companions);
  if (!pairs.ok()) return {std::string(pairs.status().message())};
  std::vector<std::string> names;
  for (const auto& [image, companion] : *pairs) names.push_back(absl::StrCat(image.path, " ", companion.path));
  return names;
}

TEST(PairByFrame, TakesTheSameNumberWhateverTheOrder) {
  EXPECT_THAT(Pairs(Files({"p.10.png", "p.2.png"}), Files({"t.10.png", "t.2.png"})),
              ElementsAre("p.10.png t.10.png", "p.2.png t.2.png"));
  EXPECT_THAT(Pairs(Sequence("g", {"0001", "0002"}), Sequence("t", {"1", "2", "3"})),
              ElementsAre("g.0001.png t.1.png", "g.0002.png t.2.png"));
}

TEST(PairByFrame, RefusesAnImageWithoutACompanion) {
  EXPECT_THAT(Pairs(Sequence("g", {"0001", "0002"}), Sequence("t", {"0001", "0003"})),
              ElementsAre("none of 2 files is for g.0002.png, frame 2"));
  EXPECT_THAT(Pairs(Files({"a.jpg", "b.jpg"}), Files({"a.png", "c.png"})),
              ElementsAre("none of 2 files is for b.jpg: none is called b"));
}

TEST(PairByFrame, TakesTheNameWhereThereAreNoNumbers) {
  EXPECT_THAT(Pairs(Files({"b.jpg", "a.jpg"}), Files({"a.png", "b.png"})), ElementsAre("b.jpg b.png", "a.jpg a.png"));
  EXPECT_THAT(Pairs(Files({"photo.jpg"}), Files({"trimap.png"})), ElementsAre("photo.jpg trimap.png"));
  EXPECT_THAT(Pairs(Files({"x/a.jpg", "y/a.jpg"}), Files({"a.png", "b.png"})),
              ElementsAre(HasSubstr("several files have one name")));
}

TEST(FindImages, TakesAWildcard) {
  const std::string folder = FolderOf({"a1.jpg", "a2.jpg", "b1.jpg"});
  EXPECT_THAT(Names(FindImages({folder + "/a*.jpg"})), ElementsAre("a1.jpg", "a2.jpg"));
}

TEST(FindImages, NamesWhatDoesNotExist) {
  const std::string folder = FolderOf({"a.txt"});
  EXPECT_THAT(FindImages({folder + "/b.jpg"}), StatusIs(absl::StatusCode::kNotFound, HasSubstr("b.jpg: no such file")));
  EXPECT_THAT(FindImages({folder}), StatusIs(absl::StatusCode::kNotFound, HasSubstr("has no image")));
  EXPECT_THAT(FindImages({folder + "/p.%04d.exr"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no file of this sequence exists")));
  EXPECT_THAT(FindImages({folder + "/none/p.%04d.exr"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no such folder")));
  EXPECT_THAT(FindImages({folder + "/*.jpg"}), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no file fits")));
}

TEST(FindImages, RefusesAFileThatIsNamedTwice) {
  const std::string folder = FolderOf({"a.jpg"});
  EXPECT_THAT(FindImages({folder, folder + "/a.jpg"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a.jpg: is named twice")));
}

// "NAME NUMBER TIMESTEP" of each frame.
std::vector<std::string> Between(const std::vector<FoundImage>& images, int64_t count) {
  const auto frames = FramesBetween(images, count);
  EXPECT_OK(frames);
  std::vector<std::string> texts;
  for (const FrameBetween& frame : *frames) {
    texts.push_back(absl::StrCat(frame.frame.path, " ", frame.frame.number, " ", frame.timestep));
  }
  return texts;
}

TEST(FramesBetween, TheImagesFitBetweenTheFrames) {
  const std::vector<FoundImage> sequence = {
      {"in/p.0098.exr", "0098"}, {"in/p.0099.exr", "0099"}, {"in/p.0100.exr", "0100"}};
  EXPECT_THAT(Between(sequence, 3),
              ElementsAre("in/p.0099.exr 0099 0.25", "in/p.0100.exr 0100 0.5", "in/p.0101.exr 0101 0.75",
                          "in/p.0103.exr 0103 0.25", "in/p.0104.exr 0104 0.5", "in/p.0105.exr 0105 0.75"));
  ASSERT_OK_AND_ASSIGN(const auto frames, FramesBetween(sequence, 1));
  EXPECT_EQ(frames[1].first.path, "in/p.0099.exr");
  EXPECT_EQ(frames[1].second.path, "in/p.0100.exr");
}

TEST(FramesBetween, ImagesWithoutNumbersCountFromOne) {
  EXPECT_THAT(Between({{"in/a.jpg", ""}, {"b.jpg", ""}, {"c.jpg", ""}}, 1),
              ElementsAre("in/a.0002.jpg 0002 0.5", "b.0004.jpg 0004 0.5"));
  EXPECT_THAT(FramesBetween({{"a.jpg", ""}}, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--between makes frames between images")));
}

std::vector<FoundImage> Images(const std::string& folder) {
  return {{folder + "/a.jpg", "7"}, {folder + "/b.exr", "12"}};
}

TEST(NameOutputs, AFolderGetsPngOfTheImagesNames) {
  const std::string folder = FolderOf({});
  ASSERT_OK_AND_ASSIGN(const auto outputs, NameOutputs(Images("in"), folder));
  EXPECT_THAT(outputs, ElementsAre(folder + "/a.png", folder + "/b.png"));
  ASSERT_OK_AND_ASSIGN(const auto maps, NameOutputs(Images("in"), folder, ".exr"));
  EXPECT_THAT(maps, ElementsAre(folder + "/a.exr", folder + "/b.exr"));
}

TEST(NameOutputs, AStarStandsForTheNameAndDigitsForTheNumber) {
  const std::string folder = FolderOf({});
  ASSERT_OK_AND_ASSIGN(auto outputs, NameOutputs(Images("in"), folder + "/depth_*.exr"));
  EXPECT_THAT(outputs, ElementsAre(folder + "/depth_a.exr", folder + "/depth_b.exr"));
  ASSERT_OK_AND_ASSIGN(outputs, NameOutputs(Images("in"), folder + "/depth.%04d.exr"));
  EXPECT_THAT(outputs, ElementsAre(folder + "/depth.0007.exr", folder + "/depth.0012.exr"));
}

TEST(NameOutputs, ANameThatExistsOrHasOneHashWithoutANumberIsItself) {
  const std::string folder = FolderOf({"depth.%04d.png"});
  const std::vector<FoundImage> one = {{"in/a.jpg", ""}};
  ASSERT_OK_AND_ASSIGN(auto outputs, NameOutputs(one, folder + "/take#2.png"));
  EXPECT_THAT(outputs, ElementsAre(folder + "/take#2.png"));
  ASSERT_OK_AND_ASSIGN(outputs, NameOutputs(one, folder + "/depth.%04d.png"));
  EXPECT_THAT(outputs, ElementsAre(folder + "/depth.%04d.png"));
  EXPECT_THAT(NameOutputs(one, folder + "/depth.####.png"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("was not given as a frame of a sequence")));
}

TEST(NameOutputs, RefusesNamesThatCannotHoldTheOutputs) {
  const std::string folder = FolderOf({"a.png"});
  const std::vector<FoundImage> images = {{folder + "/a.png", ""}, {folder + "/x/a.jpg", ""}};
  EXPECT_THAT(NameOutputs(images, folder + "/depth.png"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("would be written for")));
  EXPECT_THAT(NameOutputs(images, folder + "/depth.%04d.png"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("was not given as a frame of a sequence")));
  EXPECT_THAT(NameOutputs(images, folder + "/*.gif"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ends with .png or .exr")));
  EXPECT_THAT(NameOutputs(images, folder + "/none"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(", or a folder that is there")));
  for (const std::string& out : {folder, folder + "/*.png"}) {
    EXPECT_THAT(NameOutputs(images, out),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("into two folders, or rename one of them")));
  }
  const InputRecord record;
  RecordInput(images[0].path);
  EXPECT_THAT(NameOutputs(images, folder), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is the input")));
  EXPECT_THAT(NameOutputs(images, folder + "/none/"), StatusIs(absl::StatusCode::kNotFound, _));
}

}  // namespace
}  // namespace modelport
