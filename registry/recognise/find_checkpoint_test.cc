#include "registry/recognise/find_checkpoint.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

class FindCheckpointTest : public testing::Test {
 protected:
  FindCheckpointTest() : root_(fs::path(std::getenv("TEST_TMPDIR")) / "find") {
    fs::remove_all(root_);
    fs::create_directories(root_ / "here");
    file_.name = "weights.pth";
    file_.hub = "org/name";
    setenv("HF_HUB_CACHE", (root_ / "hub").c_str(), 1);
    unsetenv("HF_HOME");
  }

  // A file in a snapshot, and refs/main if `is_main`.
  std::string AddSnapshot(const std::string& hub, const std::string& commit, bool is_main) {
    const fs::path repository = root_ / hub / "models--org--name";
    if (is_main) {
      fs::create_directories(repository / "refs");
      std::ofstream(repository / "refs" / "main") << commit;
    }
    return AddFile(repository / "snapshots" / commit / "weights.pth");
  }

  std::string AddFile(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "weights";
    return path;
  }

  std::string Find() { return FindCheckpoint(file_, root_ / "here", root_ / "plugin"); }

  fs::path root_;
  PublishedFile file_;
};

TEST_F(FindCheckpointTest, NowhereIsEmpty) { EXPECT_EQ(Find(), ""); }

TEST_F(FindCheckpointTest, TheCurrentFolderComesFirst) {
  AddSnapshot("hub", "aaa", true);
  const std::string here = AddFile(root_ / "here" / "weights.pth");
  EXPECT_EQ(Find(), here);
}

TEST_F(FindCheckpointTest, AFileOfAnotherNameComesAfterThatOfItsName) {
  file_.also = {"weights-v2.pth"};
  const std::string other = AddFile(root_ / "here" / "weights-v2.pth");
  EXPECT_EQ(Find(), other);
  const std::string here = AddFile(root_ / "here" / "weights.pth");
  EXPECT_EQ(Find(), here);
}

TEST_F(FindCheckpointTest, AFileBesideThePluginComesBeforeTheCache) {
  AddSnapshot("hub", "aaa", true);
  const std::string beside = AddFile(root_ / "plugin" / "weights.pth");
  EXPECT_EQ(Find(), beside);
  EXPECT_NE(FindCheckpoint(file_, root_ / "here", ""), beside);
  const std::string here = AddFile(root_ / "here" / "weights.pth");
  EXPECT_EQ(Find(), here);
}

TEST_F(FindCheckpointTest, TheMainSnapshotComesBeforeOthers) {
  AddSnapshot("hub", "aaa", false);
  const std::string main = AddSnapshot("hub", "bbb", true);
  EXPECT_EQ(Find(), main);
}

TEST_F(FindCheckpointTest, AnotherSnapshotServesToo) {
  const std::string other = AddSnapshot("hub", "aaa", false);
  EXPECT_EQ(Find(), other);
}

TEST_F(FindCheckpointTest, TheCacheFollowsTheEnvironment) {
  unsetenv("HF_HUB_CACHE");
  setenv("HF_HOME", (root_ / "home").c_str(), 1);
  const std::string home = AddSnapshot("home/hub", "aaa", true);
  EXPECT_EQ(Find(), home);
  unsetenv("HF_HOME");
  setenv("HOME", (root_ / "user").c_str(), 1);
  const std::string user = AddSnapshot("user/.cache/huggingface/hub", "aaa", true);
  EXPECT_EQ(Find(), user);
}

// Files that are all called model.safetensors are told apart by folders of the user's.
TEST_F(FindCheckpointTest, TheFolderOfAFileIsTheUsersAndNotTheCaches) {
  file_.name = "name/weights.pth";
  AddFile(root_ / "here" / "weights.pth");
  const std::string cached = AddSnapshot("hub", "aaa", true);
  EXPECT_EQ(Find(), cached);
  const std::string here = AddFile(root_ / "here" / "name" / "weights.pth");
  EXPECT_EQ(Find(), here);
}

TEST_F(FindCheckpointTest, AFolderOfThatNameIsNoCheckpoint) {
  fs::create_directories(root_ / "here" / "weights.pth");
  EXPECT_EQ(Find(), "");
}

TEST_F(FindCheckpointTest, SaysWhereItLooks) {
  EXPECT_EQ(SearchedPlaces(file_, "/here"),
            (std::vector<std::string>{"/here/weights.pth", root_ / "hub/models--org--name/snapshots/*/weights.pth"}));
  file_.hub = "";
  EXPECT_EQ(SearchedPlaces(file_, "/here"), std::vector<std::string>{"/here/weights.pth"});
}

TEST_F(FindCheckpointTest, AVariantWithoutAPublishedFileHasNoPlaces) {
  file_.name = "";
  EXPECT_TRUE(CheckpointPlaces(file_, root_ / "here", root_ / "plugin").empty());
  EXPECT_TRUE(SearchedPlaces(file_, root_ / "here").empty());
}

}  // namespace
}  // namespace modelport
