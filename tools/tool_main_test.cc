#include "tools/tool_main.h"

#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

// The arguments of main, which point into `arguments`.
std::vector<char*> Argv(std::vector<std::string>& arguments) {
  arguments.insert(arguments.begin(), "tool");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return argv;
}

int RunWith(std::vector<std::string> arguments, const absl::Status& status) {
  std::vector<char*> argv = Argv(arguments);
  return RunTool(argv.size(), argv.data(), "Does things.", [&status] { return status; });
}

// A tool of one file that fails with the path it was given.
int RunFileToolWith(std::vector<std::string> arguments) {
  std::vector<char*> argv = Argv(arguments);
  return RunFileTool(argv.size(), argv.data(), "Reads a file.",
                     [](const std::string& path) { return absl::NotFoundError(path); });
}

TEST(RunFilesToolTest, GetsEveryPath) {
  std::vector<std::string> arguments = {"/a.pt", "/b.pt"};
  std::vector<char*> argv = Argv(arguments);
  std::vector<std::string> given;
  EXPECT_EQ(RunFilesTool(argv.size(), argv.data(), "Reads files.",
                         [&](const std::vector<std::string>& paths) {
                           given = paths;
                           return absl::OkStatus();
                         }),
            0);
  EXPECT_EQ(given, (std::vector<std::string>{"/a.pt", "/b.pt"}));
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
  std::vector<std::string> arguments;
  std::vector<char*> argv = Argv(arguments);
  CaptureStderr();
  EXPECT_EQ(RunTool(argv.size(), argv.data(), "Does things.", []() -> absl::Status { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(GetCapturedStderr(), "RESOURCE_EXHAUSTED: out of memory\n");
}

TEST(RunToolTest, AWrongFlagIsAFailureBeforeTheToolRuns) {
  CaptureStderr();
  EXPECT_EQ(RunWith({"--nothing"}, absl::InternalError("ran")), 1);
  EXPECT_THAT(GetCapturedStderr(), testing::StartsWith("INVALID_ARGUMENT: --nothing: no such flag"));
}

TEST(RunToolTest, AnArgumentThatIsNoFlagIsAFailure) {
  CaptureStderr();
  EXPECT_EQ(RunWith({"dav2_vits"}, absl::InternalError("ran")), 1);
  EXPECT_EQ(GetCapturedStderr(), "INVALID_ARGUMENT: dav2_vits: is no flag; flags are written --name=value\n");
}

TEST(RunToolTest, DetailsAreIndentedAndNothingMovesTheCursor) {
  CaptureStderr();
  EXPECT_EQ(RunWith({}, absl::DataLossError("a.pth: \x1b[2Jbad\nOK: proven\n  more")), 1);
  EXPECT_EQ(GetCapturedStderr(), "DATA_LOSS: a.pth: \\x1b[2Jbad\n  OK: proven\n  more\n");
}

TEST(RunToolTest, StdoutShowsControlCharactersSpelledOut) {
  std::vector<std::string> arguments;
  std::vector<char*> argv = Argv(arguments);
  const auto print = [] {
    std::cout << "a\x1b[2J\n";
    return absl::OkStatus();
  };
  CaptureStdout();
  EXPECT_EQ(RunTool(argv.size(), argv.data(), "Prints.", print), 0);
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

TEST(RunFileToolTest, WantsOneFile) {
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", 1);
  CaptureStderr();
  EXPECT_EQ(RunFileToolWith({"m.pt"}), 1);
  EXPECT_EQ(RunFileToolWith({}), 1);
  EXPECT_EQ(RunFileToolWith({"a.pt", "b.pt"}), 1);
  EXPECT_EQ(GetCapturedStderr(),
            "NOT_FOUND: /home/user/m.pt\n"
            "INVALID_ARGUMENT: the file is missing: give its path beside the flags\n"
            "INVALID_ARGUMENT: wants one file, has 2: a.pt, b.pt\n");
}

TEST(RunToolTest, HelpIsNoFailure) {
  for (const char* help : {"--help", "-help", "-h"}) {
    CaptureStdout();
    EXPECT_EQ(RunWith({help}, absl::InternalError("ran")), 0);
    EXPECT_THAT(GetCapturedStdout(), HasSubstr("Does things."));
  }
}

TEST(ResolveUserPathTest, IsRelativeToWhereTheUserStands) {
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolveUserPath("m.pt"), "m.pt");
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/home/user/m.pt");
  EXPECT_EQ(ResolveUserPath("../m.pt"), "/home/m.pt");
  EXPECT_EQ(ResolveUserPath("/tmp/m.pt"), "/tmp/m.pt");
  setenv("MODELPORT_WORKING_DIRECTORY", "/shots", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/shots/m.pt");
}

}  // namespace
}  // namespace modelport
