#include "common/io/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string TempPath(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string WriteTemp(const std::string& name, const std::string& bytes) {
  const std::string path = TempPath(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(MappedFileTest, MapsTheBytes) {
  const std::string path = WriteTemp("some.bin", std::string("a\0b", 3));
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  EXPECT_EQ(file->bytes(), std::string("a\0b", 3));
}

TEST(MappedFileTest, KeepsTheBytesAfterTheFileIsUnlinked) {
  const std::string path = WriteTemp("unlinked.bin", "bytes");
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSERT_EQ(unlink(path.c_str()), 0);
  EXPECT_EQ(file->bytes(), "bytes");
}

TEST(MappedFileTest, EmptyFileHasNoBytes) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(WriteTemp("empty.bin", "")));
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFileTest, MissingFileIsNotFound) {
  const std::string path = TempPath("missing.bin");
  EXPECT_THAT(MappedFile::Open(path), StatusIs(absl::StatusCode::kNotFound, absl::StrCat(path, ": no such file")));
}

TEST(MappedFileTest, FolderIsRefused) {
  EXPECT_THAT(MappedFile::Open(testing::TempDir()), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("folder")));
}

TEST(MappedFileTest, PipeIsRefusedWithoutWaitingForAWriter) {
  const std::string path = TempPath("pipe");
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::Open(path), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a regular file")));
}

TEST(MappedFileTest, UnreadableFileIsPermissionDenied) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string path = WriteTemp("secret.bin", "secret");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_THAT(MappedFile::Open(path), StatusIs(absl::StatusCode::kPermissionDenied, StartsWith(path)));
}

}  // namespace
}  // namespace modelport
