#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/command/command.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

int RunWith(std::vector<const char*> arguments, std::function<absl::Status()> run) {
  arguments.insert(arguments.begin(), "tool");
  return RunTool(arguments.size(), arguments.data(),
                 {.name = "tool", .summary = "Does things.", .flags = {}, .run = TakesFlags(std::move(run))});
}

int RunWith(std::vector<const char*> arguments, const absl::Status& status) {
  return RunWith(std::move(arguments), [&status] { return status; });
}

TEST(RunToolTest, SuccessIsZeroAndSilent) {
  CaptureStderr();
  EXPECT_EQ(RunWith({}, absl::OkStatus()), 0);
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(RunToolTest, TheVersionIsPrintedInsteadOfARun) {
  CaptureStdout();
  EXPECT_EQ(RunWith({"--version", "--model=m"}, absl::NotFoundError("ran")), 0);
  EXPECT_THAT(GetCapturedStdout(), testing::MatchesRegex("Modelport [0-9.]+\n"));
}

TEST(RunToolTest, AFailureIsOneWithCodeAndDetailsOnStderr) {
  CaptureStdout();
  CaptureStderr();
  EXPECT_EQ(RunWith({}, absl::FailedPreconditionError("a.pth: does not fit\n  2 keys missing")), 1);
  EXPECT_EQ(GetCapturedStderr(), "FAILED_PRECONDITION: a.pth: does not fit\n  2 keys missing\n");
  EXPECT_EQ(GetCapturedStdout(), "");
}

TEST(RunToolTest, AnExceptionIsAFailure) {
  CaptureStderr();
  EXPECT_EQ(RunWith({}, []() -> absl::Status { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(GetCapturedStderr(), "RESOURCE_EXHAUSTED: out of memory\n");
}

TEST(RunToolTest, AWrongFlagIsAFailureBeforeTheToolRuns) {
  CaptureStderr();
  EXPECT_EQ(RunWith({"--nothing"}, absl::InternalError("ran")), 1);
  EXPECT_THAT(GetCapturedStderr(), testing::StartsWith("INVALID_ARGUMENT: --nothing: no such flag"));
}

TEST(RunToolTest, DetailsAreIndentedAndNothingMovesTheCursor) {
  CaptureStderr();
  EXPECT_EQ(RunWith({}, absl::DataLossError("a.pth: \x1b[2Jbad\nOK: proven\n  more")), 1);
  EXPECT_EQ(GetCapturedStderr(), "DATA_LOSS: a.pth: \\x1b[2Jbad\n  OK: proven\n  more\n");
}

TEST(RunToolTest, StdoutShowsControlCharactersSpelledOut) {
  const auto print = [] {
    std::cout << "a\x1b[2J\n";
    return absl::OkStatus();
  };
  CaptureStdout();
  EXPECT_EQ(RunWith({}, print), 0);
  EXPECT_EQ(GetCapturedStdout(), "a\\x1b[2J\n");
}

TEST(RunToolTest, AnArgumentWithControlCharactersIsAFailure) {
  CaptureStderr();
  EXPECT_EQ(RunWith({"--out=a\nOK: proven"}, absl::InternalError("ran")), 1);
  EXPECT_EQ(GetCapturedStderr(),
            "INVALID_ARGUMENT: --out=a\\nOK: proven: holds control characters, which names may not\n");
}

TEST(RunToolTest, AFolderWithControlCharactersIsAFailure) {
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  setenv("BUILD_WORKING_DIRECTORY", "/home/a\nb", 1);
  CaptureStderr();
  EXPECT_EQ(RunWith({}, absl::InternalError("ran")), 1);
  EXPECT_EQ(GetCapturedStderr(), "INVALID_ARGUMENT: /home/a\\nb/: holds control characters, which names may not\n");
  unsetenv("BUILD_WORKING_DIRECTORY");
}

TEST(RunToolTest, HelpIsNoFailure) {
  for (const char* help : {"--help", "-help", "-h"}) {
    CaptureStdout();
    EXPECT_EQ(RunWith({help}, absl::InternalError("ran")), 0);
    EXPECT_THAT(GetCapturedStdout(), HasSubstr("Does things."));
  }
}

}  // namespace
}  // namespace modelport
