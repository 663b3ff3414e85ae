#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/command/command.h"
#include "tools/command/report.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

int RunWith(std::vector<const char*> arguments, std::function<absl::Status()> run) {
  arguments.insert(arguments.begin(), "tool");
  const auto begin = TakesFlags<NoFlags>([&](const NoFlags&) { return run(); });
  return RunTool(arguments.size(), arguments.data(), {.name = "tool", .summary = "Does things.", .begin = begin});
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

struct CountFlags {
  FlagGroup group;
  Flag<int> from{group, "from", 1, "the first number"};
  Report report{group};
};

absl::Status Count(CountFlags& flags) {
  if (*flags.from < 0) return absl::OutOfRangeError("below 0");
  if (flags.report.is_wanted()) {
    flags.report.fields()["from"] = *flags.from;
  } else {
    std::cout << *flags.from << "\n";
  }
  return absl::OkStatus();
}

// What `count arguments` prints to stdout.
std::string StdoutOfCount(std::vector<const char*> arguments, int expected_status = 0) {
  arguments.insert(arguments.begin(), "count");
  CaptureStdout();
  CaptureStderr();
  EXPECT_EQ(RunTool(arguments.size(), arguments.data(),
                    {.name = "count", .summary = "", .begin = TakesFlags<CountFlags>(Count)}),
            expected_status);
  GetCapturedStderr();
  return GetCapturedStdout();
}

TEST(RunToolTest, ARunDoesNotSeeTheFlagsOfTheOneBefore) {
  EXPECT_EQ(StdoutOfCount({"--from=4", "--json"}),
            "{\n  \"schema\": \"modelport.count.1\",\n  \"ok\": true,\n  \"from\": 4\n}\n");
  EXPECT_EQ(StdoutOfCount({}), "1\n");
  EXPECT_EQ(StdoutOfCount({"--json"}), "{\n  \"schema\": \"modelport.count.1\",\n  \"ok\": true,\n  \"from\": 1\n}\n");
}

TEST(RunToolTest, TheReportTellsErrorsOfTheToolAndOfFlags) {
  EXPECT_THAT(StdoutOfCount({"--json", "--from=-1"}, 1), HasSubstr("\"message\": \"below 0\""));
  EXPECT_THAT(StdoutOfCount({"--json", "--to=1"}, 2), HasSubstr("\"message\": \"--to: no such flag"));
  EXPECT_THAT(StdoutOfCount({"--to=1", "--json"}, 2), HasSubstr("\"message\": \"--to: no such flag"));
  EXPECT_THAT(StdoutOfCount({"--to=1", "-json=true"}, 2), HasSubstr("\"message\": \"--to: no such flag"));
  EXPECT_EQ(StdoutOfCount({"--to=1"}, 1), "");
}

TEST(RunToolTest, TheReportedStatusTellsWhatAProgramCanDo) {
  EXPECT_EQ(ReportedExitStatus(absl::OkStatus()), 0);
  EXPECT_EQ(ReportedExitStatus(absl::FailedPreconditionError("refused")), 1);
  EXPECT_EQ(ReportedExitStatus(absl::InternalError("a fault")), 1);
  EXPECT_EQ(ReportedExitStatus(absl::InvalidArgumentError("a wrong call")), 2);
  EXPECT_EQ(ReportedExitStatus(absl::DataLossError("damaged")), 3);
  EXPECT_EQ(ReportedExitStatus(absl::AbortedError("crashed on the file")), 3);
  EXPECT_EQ(ReportedExitStatus(absl::NotFoundError("not there")), 4);
  EXPECT_EQ(ReportedExitStatus(absl::UnavailableError("locked")), 4);
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
