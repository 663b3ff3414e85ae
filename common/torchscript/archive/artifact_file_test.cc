#include "common/torchscript/archive/artifact_file.h"

#include <fstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::StartsWith;

std::string WriteTemp(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(ArtifactFileTest, FindsRecordsBelowItsFolder) {
  const std::string bytes =
      ZipArchive({{"archive/data.pkl", "N."}, {"archive/code/__torch__.py", "code"}, {"data.pkl", "other"}});
  const std::string path = WriteTemp("tiny.pt", bytes);
  ASSERT_OK_AND_ASSIGN(const ArtifactFile file, ArtifactFile::Open(path));
  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(file.bytes(), bytes);
  EXPECT_EQ(file.records().size(), 3);
  ASSERT_NE(file.Find("data.pkl"), nullptr);
  EXPECT_EQ(file.Find("data.pkl")->bytes, "N.");
  EXPECT_EQ(file.Find("code/__torch__.py")->bytes, "code");
  EXPECT_EQ(file.Find("version"), nullptr);
  EXPECT_EQ(file.Find("archive/data.pkl"), nullptr);
}

TEST(ArtifactFileTest, ItsRecordsStayWhenItMoves) {
  const std::string path =
      WriteTemp("moved.pt", ZipArchive({{"archive/version", "3\n"}, {"archive/constants.pkl", "N."}}));
  ASSERT_OK_AND_ASSIGN(ArtifactFile file, ArtifactFile::Open(path));
  const ArtifactFile moved = std::move(file);
  ASSERT_NE(moved.Find("version"), nullptr);
  EXPECT_EQ(moved.Find("version")->bytes, "3\n");
}

TEST(ArtifactFileTest, ErrorsBeginWithThePath) {
  const std::string whole = ZipArchive({{"archive/version", "3\n"}});
  const std::string damaged = WriteTemp("damaged.pt", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(ArtifactFile::Open(damaged).status(),
              StatusIs(absl::StatusCode::kDataLoss, StartsWith(absl::StrCat(damaged, ": "))));
  const std::string encrypted = WriteTemp("encrypted.pt", ZipArchive({{"archive/version", "3\n"}}, {.flags = 1}));
  EXPECT_THAT(ArtifactFile::Open(encrypted).status(),
              StatusIs(absl::StatusCode::kUnimplemented, StartsWith(absl::StrCat(encrypted, ": "))));
  const std::string pointer = WriteTemp("pointer.pt", "version https://git-lfs.github.com/spec/v1\noid");
  EXPECT_THAT(ArtifactFile::Open(pointer).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith(absl::StrCat(pointer, ": not a TorchScript file: a Git LFS pointer"))));
  const std::pair<std::string, absl::string_view> others[] = {
      {absl::StrCat(std::string("\x10\0\0\0\0\0\0\0", 8), "{\"a\": 1}      "), "a safetensors file"},
      {"\x80\x02}q a dictionary", "a pickle"},
      {"{\"model\": \"tiny\"}", "a JSON text"},
      {ZipArchive({{"tiny/archive_format", "pt2"}}), "a program of torch.export"},
  };
  for (const auto& [bytes, name] : others) {
    const std::string other = WriteTemp("other", bytes);
    EXPECT_THAT(ArtifactFile::Open(other).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         StartsWith(absl::StrCat(other, ": not a TorchScript file: ", name))));
  }
  const std::string missing = testing::TempDir() + "/missing.pt";
  EXPECT_THAT(ArtifactFile::Open(missing).status(),
              StatusIs(absl::StatusCode::kNotFound, StartsWith(absl::StrCat(missing, ": "))));
}

}  // namespace
}  // namespace modelport
