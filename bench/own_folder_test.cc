#include "bench/own_folder.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

TEST(OwnFolderTest, IsRemovedWithItsFilesAndNoOthers) {
  const fs::path parent = fs::path(testing::TempDir()) / "parent";
  fs::create_directories(parent / "mine");
  std::ofstream(parent / "m.safetensors") << "mine";
  std::string path;
  {
    absl::StatusOr<OwnFolder> folder = OwnFolder::Create(parent);
    ASSERT_OK(folder);
    path = folder->path();
    EXPECT_EQ(fs::path(path).parent_path(), parent);
    std::ofstream(path + "/m.safetensors") << "the bench's";
    const OwnFolder moved = *std::move(folder);
    EXPECT_TRUE(fs::exists(path + "/m.safetensors"));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(parent / "mine"));
  EXPECT_TRUE(fs::exists(parent / "m.safetensors"));
}

TEST(OwnFolderTest, AParentThatIsMissingIsAnError) {
  EXPECT_EQ(OwnFolder::Create(testing::TempDir() + "/missing").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace modelport
