#include "common/torchscript/archive/script_archive.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/mapped_file.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> Paths(const ScriptArchive& archive) {
  std::vector<std::string> paths;
  for (const ScriptArchive::Record& record : archive.records()) paths.emplace_back(record.path);
  return paths;
}

TEST(ScriptArchiveTest, ReadsWhatLibTorchReads) {
  const std::string file = ZipArchive({{"m/data/0", "weights"},
                                       {"m/code/__torch__.py", "code"},
                                       {"m/code/__torch__.py.debug_pkl", "debug"},
                                       {"m/CODE/__torch__.py", "other code"},
                                       {"m/extra/manifest.json", "{}"},
                                       {"m/model.json", "{}"},
                                       {"other/code/a.py", "code"},
                                       {"m/constants.pkl", "constants"}});
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  EXPECT_THAT(Paths(archive),
              ElementsAre("data/0", "code/__torch__.py", "code/__torch__.py.debug_pkl", "constants.pkl"));
  ASSERT_NE(archive.Find("code/__torch__.py"), nullptr);
  EXPECT_EQ(archive.Find("code/__torch__.py")->content, "code");
  EXPECT_EQ(archive.Find("extra/manifest.json"), nullptr);
}

TEST(ScriptArchiveTest, ReadsFilesThatPythonWrote) {
  for (const std::string name : {"scripted", "traced"}) {
    ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(absl::StrCat("tests/lint/", name, ".pt")));
    ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file->bytes()));
    ASSERT_NE(archive.Find("code/__torch__.py"), nullptr);
    EXPECT_THAT(archive.Find("code/__torch__.py")->content, HasSubstr("def forward(self"));
  }
}

TEST(ScriptArchiveTest, InflatesUpToALimit) {
  const auto read = [](size_t first, size_t second) {
    const Records records = {
        {"m/constants.pkl", ""}, {"m/code/a.py", std::string(first, '#')}, {"m/code/b.py", std::string(second, '#')}};
    const std::string file = ZipArchive(records, {.deflate = true});
    EXPECT_LT(file.size(), 1 << 20);
    const auto archive = ScriptArchive::Read(file);
    if (archive.ok()) {
      EXPECT_EQ(archive->Find("code/b.py")->content, records[2].second);
    }
    return archive.status();
  };
  EXPECT_OK(read(30 << 20, 30 << 20));
  EXPECT_THAT(read(30 << 20, 40 << 20),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("code/b.py: wants at most 35651584 bytes, inflates to 41943040")));
}

// Another process may write to a file that is mapped into memory.
TEST(ScriptArchiveTest, WhatWasCheckedDoesNotChangeWithTheFile) {
  const Records records = {{"m/constants.pkl", "N."}, {"m/data.pkl", "K\1."}, {"m/code/a.py", "def f():\n"}};
  std::string file = ZipArchive(records);
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  std::fill(file.begin(), file.end(), '#');
  ASSERT_THAT(Paths(archive), ElementsAre("constants.pkl", "data.pkl", "code/a.py"));
  EXPECT_EQ(archive.Find("constants.pkl")->content, "N.");
  EXPECT_EQ(archive.Find("data.pkl")->content, "K\1.");
  EXPECT_EQ(archive.Find("code/a.py")->content, "def f():\n");
}

TEST(ScriptArchiveTest, RefusesInvalidArchives) {
  const Records good = {{"m/constants.pkl", "N."}, {"m/code/a.py", "def f():\n"}};
  const auto with = [&](const Records& more) {
    Records records = good;
    records.insert(records.end(), more.begin(), more.end());
    return ZipArchive(records);
  };
  std::string damaged = ZipArchive(good);
  damaged[damaged.find("def f")] = 'D';
  const struct {
    std::string file;
    StatusCode code;
    std::string message;
  } kCases[] = {
      {"", StatusCode::kDataLoss, "truncated zip archive"},
      {"not an archive", StatusCode::kDataLoss, "truncated zip archive"},
      {ZipArchive({}), StatusCode::kInvalidArgument, "an archive without constants.pkl"},
      {ZipArchive({{"constants.pkl", ""}}), StatusCode::kInvalidArgument, "an archive without constants.pkl"},
      {ZipArchive({{"m/data.pkl", "N."}}), StatusCode::kInvalidArgument, "an archive without constants.pkl"},
      {with({{"m/code/a.py", "def g():\n"}}), StatusCode::kDataLoss, "there are two of them"},
      {damaged, StatusCode::kDataLoss, "code/a.py: the CRC-32 differs"},
      {ZipArchive(good, {.flags = 1}), StatusCode::kUnimplemented, "an encrypted record"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(ScriptArchive::Read(test.file).status(), StatusIs(test.code, HasSubstr(test.message)));
  }
}

TEST(ScriptArchiveTest, NamesWhatIsNoTorchScriptFile) {
  EXPECT_THAT(CheckScriptFile(ZipArchive({{"m/constants.pkl", "N."}, {"m/code/a.py", "def f():\n"}})), IsOk());
  // Where it is damaged, says who reads it.
  EXPECT_THAT(CheckScriptFile("PK\3\4 and no directory"), IsOk());
  // Nor is every file without a known beginning another one.
  EXPECT_THAT(CheckNoOtherFile("just some text in a file"), IsOk());
  EXPECT_THAT(CheckNoOtherFile(""), IsOk());
  const struct {
    std::string file;
    StatusCode code;
    std::string message;
  } kCases[] = {
      {"", StatusCode::kDataLoss, "empty file"},
      {"just some text in a file", StatusCode::kInvalidArgument, "not a TorchScript file: not a zip archive\n"},
      {ZipArchive({{"m/data.pkl", "N."}, {"m/data/0", ""}}), StatusCode::kInvalidArgument,
       "not a TorchScript file: a checkpoint of torch.save, which has weights and no code\n"},
      {ZipArchive({{"m/archive_format", "pt2"}, {"m/version", "0"}}), StatusCode::kInvalidArgument,
       "not a TorchScript file: a program of torch.export\n"},
      {ZipArchive({{"net.pt", ""}}), StatusCode::kInvalidArgument, "not a TorchScript file: a zip archive that holds"},
  };
  for (const auto& test : kCases) {
    const absl::Status status = CheckScriptFile(test.file);
    EXPECT_THAT(status, StatusIs(test.code, StartsWith(test.message)));
    if (test.code != StatusCode::kInvalidArgument) continue;
    EXPECT_THAT(status.message(), HasSubstr("\n  TorchScript files are saved as torch.jit.script(module).save(path)"));
  }
}

// Neither the directory nor the lookups may take more than linear time.
TEST(ScriptArchiveTest, ReadsAMillionRecords) {
  Records records = {{"m/constants.pkl", ""}};
  for (int i = 0; i < 1'000'000; ++i) records.emplace_back(absl::StrCat("m/data/", i), "");
  const std::string file = ZipArchive(records, {.zip64 = true});
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  EXPECT_EQ(archive.records().size(), records.size());
}

}  // namespace
}  // namespace modelport
