#include "common/io/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/testing/other_writer.h"
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

TEST(MappedFileTest, AFileThatAnotherNamesIsNoLink) {
  const std::string link = TempPath("link.bin");
  std::filesystem::create_symlink(WriteTemp("linked.bin", "bytes"), link);
  EXPECT_OK(MappedFile::Open(link));
  EXPECT_OK(MappedFile::Open(TempPath("linked.bin"), MappedFile::Use::kNamed));
  for (auto* const open : {&MappedFile::Open, &MappedFile::OpenCopy}) {
    EXPECT_THAT(open(link, MappedFile::Use::kNamed),
                StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(absl::StrCat(link, ": is a link"))));
  }
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

TEST(MappedFileTest, AFileThatIsOnlyReadIsUnchanged) {
  for (const char* bytes : {"", "bytes"}) {
    ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(WriteTemp("same.bin", bytes)));
    EXPECT_EQ(file->bytes(), bytes);
    EXPECT_OK(file->CheckUnchanged());
  }
}

TEST(MappedFileTest, AFileThatIsWrittenToIsChanged) {
  const std::string path = TempPath("changed.bin");
  const std::function<void()> changes[] = {
      [&] { std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << "B"; },  // In place.
      [&] { std::ofstream(path, std::ios::app | std::ios::binary) << "more"; },             // Longer.
      [&] { EXPECT_EQ(truncate(path.c_str(), 2), 0); },                                     // Shorter.
      [&] { std::filesystem::last_write_time(path, std::filesystem::file_time_type()); },   // Backdated.
  };
  for (const std::function<void()>& change : changes) {
    WriteTemp("changed.bin", "bytes");
    ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
    usleep(20'000);  // The kernel updates the clock for file times every few milliseconds.
    change();
    EXPECT_THAT(file->CheckUnchanged(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                 StartsWith(absl::StrCat(path, ": changed while it was read"))));
  }
}

TEST(MappedFileTest, AFileThatAnotherProgramMayChangeUnseenIsChanged) {
  const std::string path = WriteTemp("mapped.bin", "bytes");
  if (!HasLeases(path)) GTEST_SKIP() << "no leases here";
  WritableMapping mapping(path);
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  mapping.Change();
  EXPECT_THAT(file->CheckUnchanged(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       StartsWith(absl::StrCat(path, ": another program has it open for writing"))));
}

TEST(MappedFileTest, LookingForWritersStopsNobodyFromWriting) {
  const std::string path = WriteTemp("open.bin", "bytes");
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const int writer = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  EXPECT_GE(writer, 0);
  close(writer);
  EXPECT_OK(file->CheckUnchanged());
}

TEST(MappedFileTest, NobodyChangesACopy) {
  const std::string path = WriteTemp("copied.bin", "bytes");
  WritableMapping mapping(path);
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> copy, MappedFile::OpenCopy(path));
  mapping.Change();
  EXPECT_EQ(file->bytes(), "cytes");
  EXPECT_EQ(copy->bytes(), "bytes");
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> empty, MappedFile::OpenCopy(WriteTemp("empty.bin", "")));
  EXPECT_EQ(empty->bytes(), "");
  EXPECT_THAT(MappedFile::OpenCopy(TempPath("missing.bin")), StatusIs(absl::StatusCode::kNotFound, testing::_));
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer handles SIGBUS itself.
// Maps a file, truncates it to its first page, and reads its last byte.
void ReadTruncated(const std::string& path) {
  const auto file = MappedFile::Open(path);
  if (!file.ok() || truncate(path.c_str(), 4096) != 0) _exit(2);
  volatile char last = (*file)->bytes().back();
  static_cast<void>(last);
}

TEST(MappedFileDeathTest, ATruncatedFileEndsTheProcessWithOneError) {
  const std::string path = WriteTemp("cut\x1b.bin", std::string(1 << 20, 'a'));
  const std::string message = absl::StrCat("^DATA_LOSS: ", testing::TempDir(),
                                           "/cut.x1b.bin: was truncated while it was read\n  copy it [^\n]*\n$");
  EXPECT_EXIT(ReadTruncated(path), testing::ExitedWithCode(1), message);
  std::ofstream(path, std::ios::binary) << std::string(1 << 20, 'a');
  EXPECT_EXIT(std::thread([&] { ReadTruncated(path); }).join(), testing::ExitedWithCode(1), message);
}

TEST(MappedFileDeathTest, TheLastOfManyFilesIsNamedToo) {
  const std::string shard = WriteTemp("shard.bin", "bytes"), path = WriteTemp("last.bin", std::string(1 << 20, 'a'));
  std::vector<std::shared_ptr<const MappedFile>> shards;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK_AND_ASSIGN(shards.emplace_back(), MappedFile::Open(shard));
  }
  EXPECT_EXIT(ReadTruncated(path), testing::ExitedWithCode(1), "/last.bin: was truncated while it was read\n");
}

TEST(MappedFileDeathTest, OtherFaultsStayFaults) {
  const auto map_and_raise = [] {
    const auto file = MappedFile::Open(WriteTemp("whole.bin", "bytes"));
    raise(SIGBUS);
  };
  EXPECT_EXIT(map_and_raise(), testing::KilledBySignal(SIGBUS), "^$");
}
#endif

TEST(MappedFileTest, UnreadableFileIsPermissionDenied) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string path = WriteTemp("secret.bin", "secret");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  EXPECT_THAT(MappedFile::Open(path), StatusIs(absl::StatusCode::kPermissionDenied, StartsWith(path)));
}

}  // namespace
}  // namespace modelport
