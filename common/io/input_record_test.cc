#include "common/io/input_record.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class InputRecordTest : public testing::Test {
 protected:
  InputRecordTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(input_) << "input";
  }

  const std::string folder_ = testing::TempDir() + "/record", input_ = folder_ + "/input.txt";
};

TEST_F(InputRecordTest, AnOutputReplacesNoInputByAnyName) {
  const std::string link = folder_ + "/link.txt", hard_link = folder_ + "/hard_link.txt";
  fs::create_symlink(input_, link);
  fs::create_hard_link(input_, hard_link);
  const InputRecord record;
  ASSERT_OK(MappedFile::Open(link));
  for (const std::string& path : {input_, link, hard_link}) {
    EXPECT_THAT(OutputFile::Create(path),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(StartsWith(path + ": is the input "), HasSubstr("itself; write to another file"))));
  }
  EXPECT_OK(OutputFile::WriteWhole(folder_ + "/output.txt", "output"));
}

TEST_F(InputRecordTest, AnInputThatIsReadAfterTheOutputWasOpenedStays) {
  const InputRecord record;
  ASSERT_OK_AND_ASSIGN(OutputFile output, OutputFile::Create(input_));
  ASSERT_OK(output.Write("output"));
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(input_));
  EXPECT_THAT(output.Commit(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("is the input")));
  EXPECT_EQ(file->bytes(), "input");
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const MappedFile> again, MappedFile::Open(input_));
  EXPECT_EQ(again->bytes(), "input");
}

TEST_F(InputRecordTest, TwoOutputsAreTwoFiles) {
  const InputRecord record;
  EXPECT_OK(OutputFile::WriteWhole(input_, "first"));
  EXPECT_THAT(OutputFile::WriteWhole(input_, "second"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("another output of this command")));
}

TEST_F(InputRecordTest, WhatIsReadToBeReplacedIsNoInput) {
  const InputRecord record;
  ASSERT_OK(MappedFile::Open(input_, MappedFile::Use::kReplaced));
  EXPECT_OK(OutputFile::WriteWhole(input_, "output"));
}

TEST_F(InputRecordTest, WithoutARecordNothingIsRefused) {
  {
    const InputRecord record;
    RecordInput(input_);
    EXPECT_THAT(CheckReplacesNoInput(input_), StatusIs(StatusCode::kInvalidArgument, testing::_));
  }
  EXPECT_OK(CheckReplacesNoInput(input_));
  ASSERT_OK(MappedFile::Open(input_));
  EXPECT_OK(OutputFile::WriteWhole(input_, "output"));
}

TEST_F(InputRecordTest, UnnamedFilesAreNotRecorded) {
  const InputRecord record;
  ASSERT_OK_AND_ASSIGN(OutputFile output, OutputFile::Create(folder_ + "/output.txt"));
  ASSERT_OK(output.Write("output"));
  ASSERT_OK(MappedFile::Open(output.ReadablePath()));
  EXPECT_OK(output.Commit());
}

}  // namespace
}  // namespace modelport
