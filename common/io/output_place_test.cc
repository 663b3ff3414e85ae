#include "common/io/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/io/testing/obey_permissions.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Makes a folder with a file, a folder, a pipe and links to them, and makes it the current folder.
class OutputPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/place_XXXXXX";
    folder_ = fs::canonical(mkdtemp(pattern.data()));
    fs::current_path(folder_);
    std::ofstream("file.pt") << "bytes";
    fs::create_directory("sub");
    mkfifo("pipe", 0600);
    fs::create_symlink("../file.pt", "sub/link.pt");
    fs::create_symlink("nowhere.pt", "dangling.pt");
    fs::create_symlink("sub", "linked");
  }

  std::string folder_;
};

TEST_F(OutputPlaceTest, ResolvesFoldersAndLinks) {
  const struct {
    std::string path, place;
  } kCases[] = {
      {"new.pt", "/new.pt"},
      {"./new.pt", "/new.pt"},
      {"sub/new.pt", "/sub/new.pt"},
      {"linked/new.pt", "/sub/new.pt"},
      {"sub/../new.pt", "/new.pt"},
      {"file.pt", "/file.pt"},
      {"sub/link.pt", "/file.pt"},
      {"linked/link.pt", "/file.pt"},
      {folder_ + "/new.pt", "/new.pt"},
  };
  for (const auto& test : kCases) {
    ASSERT_OK_AND_ASSIGN(const OutputPlace place, FindOutputPlace(test.path));
    EXPECT_EQ(place.Path(), folder_ + test.place) << test.path;
  }
}

TEST_F(OutputPlaceTest, RefusesWhatCannotBeAFile) {
  const struct {
    std::string path;
    absl::StatusCode code;
    std::string message;
  } kCases[] = {
      {"", absl::StatusCode::kInvalidArgument, "empty"},
      {"sub", absl::StatusCode::kInvalidArgument, "sub: is a folder, not a file"},
      {"linked", absl::StatusCode::kInvalidArgument, "linked: is a folder, not a file"},
      {"new/", absl::StatusCode::kInvalidArgument, "new/: names a folder, not a file"},
      {"pipe", absl::StatusCode::kInvalidArgument, "pipe: is not a regular file"},
      {"/dev/null", absl::StatusCode::kInvalidArgument, "/dev/null: is not a regular file"},
      {"dangling.pt", absl::StatusCode::kInvalidArgument, "dangling.pt: is a symbolic link to a file that does not"},
      {"missing/new.pt", absl::StatusCode::kNotFound, "missing/new.pt: the folder missing does not exist"},
      {"file.pt/new.pt", absl::StatusCode::kInvalidArgument, "file.pt/new.pt: file.pt is not a folder"},
  };
  for (const auto& test : kCases) EXPECT_THAT(FindOutputPlace(test.path), StatusIs(test.code, HasSubstr(test.message)));
}

TEST_F(OutputPlaceTest, RefusesAWriteProtectedFile) {
  fs::permissions("file.pt", fs::perms::owner_read);
  CallObeyingPermissions([] {
    EXPECT_THAT(FindOutputPlace("file.pt"),
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("file.pt: exists and is write-protected")));
  });
}

}  // namespace
}  // namespace modelport
