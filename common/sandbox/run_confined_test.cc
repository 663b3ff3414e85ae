#include "common/sandbox/run_confined.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr ConfinedLimits kLimits = {
    .memory = 256 << 20, .cpu_time = absl::Seconds(60), .wall_time = absl::Seconds(120)};

bool HasSanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

// The status of RunConfined if the function `crash` ends the child.
template <typename F>
absl::Status StatusOfCrash(F crash) {
  return RunConfined(kLimits,
                     [&]() -> absl::StatusOr<std::string> {
                       crash();
                       return "survived";
                     })
      .status();
}

TEST(RunConfinedTest, ReturnsTheResult) {
  const auto give = [](size_t size) { return RunConfined(kLimits, [size] { return std::string(size, 'x'); }); };
  ASSERT_OK_AND_ASSIGN(const std::string empty, give(0));
  EXPECT_EQ(empty, "");
  ASSERT_OK_AND_ASSIGN(const std::string large, give(5 << 20));
  EXPECT_EQ(large, std::string(5 << 20, 'x'));
  EXPECT_THAT(give(65 << 20),
              StatusIs(StatusCode::kResourceExhausted, "the confined process returns more than 64 MiB"));
}

TEST(RunConfinedTest, ReturnsTheError) {
  EXPECT_THAT(RunConfined(kLimits, [] { return absl::NotFoundError("no such thing\n  look elsewhere"); }),
              StatusIs(StatusCode::kNotFound, "no such thing\n  look elsewhere"));
}

TEST(RunConfinedTest, TheChildWorksOnACopyOfTheMemory) {
  std::string text = "before";
  ASSERT_OK_AND_ASSIGN(const std::string seen, RunConfined(kLimits, [&]() -> absl::StatusOr<std::string> {
                         const std::string had = text;
                         text = "after";
                         return had;
                       }));
  EXPECT_EQ(seen, "before");
  EXPECT_EQ(text, "before");
}

TEST(RunConfinedTest, StreamsAreDevNull) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  ASSERT_OK(RunConfined(kLimits, [] {
    std::cout << "no findings" << std::endl;
    std::cerr << "to stderr" << std::endl;
    EXPECT_EQ(write(STDOUT_FILENO, "raw", 3), 3);
    return "";
  }));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RunConfinedTest, OpenFilesAreClosed) {
  const std::string path = testing::TempDir() + "/open_file";
  const int opened = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int file = fcntl(opened, F_DUPFD, 10);
  ASSERT_GE(file, 0);
  ASSERT_OK_AND_ASSIGN(const std::string error, RunConfined(kLimits, [&]() -> absl::StatusOr<std::string> {
                         return write(file, "x", 1) == 1 ? "written" : strerrorname_np(errno);
                       }));
  EXPECT_EQ(error, "EBADF");
  close(file);
  close(opened);
  EXPECT_EQ(std::filesystem::file_size(path), 0);
}

// A system call that reaches beyond the process; it returns -1 if it fails.
struct Attempt {
  const char* name;
  int (*call)();
};

int ConnectSocket() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(STDIN_FILENO, reinterpret_cast<sockaddr*>(&address), sizeof(address));
}

int StartThread() {
  pthread_t thread;
  errno = pthread_create(
      &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  return errno == 0 ? 0 : -1;
}

int RunShell() {
  char shell[] = "/bin/sh";
  char* const arguments[] = {shell, nullptr};
  return execv(shell, arguments);
}

int RaiseLimit() {
  const rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_FSIZE, &limit);
}

constexpr Attempt kAttempts[] = {
    {"ReadAFile", [] { return open("/proc/self/status", O_RDONLY); }},
    {"WriteAFile", [] { return open("target", O_WRONLY); }},
    {"CreateAFile", [] { return open("created", O_WRONLY | O_CREAT, 0600); }},
    {"RemoveAFile", [] { return unlink("target"); }},
    {"RenameAFile", [] { return rename("target", "renamed"); }},
    {"LinkAFile", [] { return link("target", "linked"); }},
    {"TruncateAFile", [] { return truncate("target", 0); }},
    {"ChangeAMode", [] { return chmod("target", 0777); }},
    {"MakeAFolder", [] { return mkdir("folder", 0700); }},
    {"ChangeFolder", [] { return chdir("/"); }},
    {"MakeASocket", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
    {"Connect", ConnectSocket},
    {"Fork", [] { return static_cast<int>(fork()); }},
    {"StartAThread", StartThread},
    {"RunAProgram", RunShell},
    {"SignalItsParent", [] { return kill(getppid(), SIGKILL); }},
    {"SignalAll", [] { return kill(-1, SIGKILL); }},
    {"TraceItsParent", [] { return static_cast<int>(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr)); }},
    {"RaiseALimit", RaiseLimit},
};

void PrintTo(const Attempt& attempt, std::ostream* out) { *out << attempt.name; }

class DeniedCallTest : public testing::TestWithParam<Attempt> {};

TEST_P(DeniedCallTest, FailsWithoutEffect) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/", GetParam().name);
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::ofstream("target") << "content";
  ASSERT_OK_AND_ASSIGN(const std::string error, RunConfined(kLimits, [&]() -> absl::StatusOr<std::string> {
                         return GetParam().call() == -1 ? strerrorname_np(errno) : "done";
                       }));
  EXPECT_EQ(error, "EPERM");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::ElementsAre("target"));
  EXPECT_EQ(std::filesystem::file_size("target"), 7);
}

INSTANTIATE_TEST_SUITE_P(Calls, DeniedCallTest, testing::ValuesIn(kAttempts),
                         [](const auto& info) { return info.param.name; });

TEST(RunConfinedTest, LimitsMemory) {
  if (HasSanitizer()) GTEST_SKIP() << "a sanitizer reserves more address space than any limit";
  const auto allocate = [](size_t size) {
    return RunConfined({.memory = 64 << 20, .cpu_time = absl::Seconds(60), .wall_time = absl::Seconds(60)},
                       [size] { return absl::StrCat(std::vector<char>(size).size()); });
  };
  EXPECT_OK(allocate(32 << 20));
  EXPECT_THAT(allocate(128 << 20),
              StatusIs(StatusCode::kResourceExhausted, "the confined process needs more than 64 MiB of memory"));
}

TEST(RunConfinedTest, LimitsProcessorTime) {
  volatile bool forever = true;
  EXPECT_THAT(RunConfined({.memory = 64 << 20, .cpu_time = absl::Seconds(1), .wall_time = absl::Seconds(600)},
                          [&]() -> absl::StatusOr<std::string> {
                            while (forever) {
                            }
                            return "";
                          }),
              StatusIs(StatusCode::kResourceExhausted, "the confined process takes more than 1 s"));
}

TEST(RunConfinedTest, LimitsWallTime) {
  EXPECT_THAT(RunConfined({.memory = 64 << 20, .cpu_time = absl::Seconds(600), .wall_time = absl::Milliseconds(100)},
                          []() -> absl::StatusOr<std::string> {
                            absl::SleepFor(absl::Hours(1));
                            return "";
                          }),
              StatusIs(StatusCode::kResourceExhausted, "the confined process takes more than 1 s"));
}

// Recurses until the stack is full.
int Recurse(int depth) {
  volatile char frame[1024] = {};
  frame[depth % 1024] = 1;
  return depth < 0 ? 0 : Recurse(depth + 1) + frame[0];
}

TEST(RunConfinedTest, ReportsACrash) {
  EXPECT_THAT(StatusOfCrash([] { std::abort(); }),
              StatusIs(StatusCode::kAborted, "the confined process crashed (signal 6, Aborted)"));
  EXPECT_THAT(StatusOfCrash([] { throw std::runtime_error("thrown"); }),
              StatusIs(StatusCode::kAborted, "the confined process crashed (signal 6, Aborted)"));
  EXPECT_THAT(StatusOfCrash([] { raise(SIGSEGV); }),
              StatusIs(StatusCode::kAborted, StartsWith("the confined process crashed (signal 11, ")));
  EXPECT_THAT(StatusOfCrash([] { Recurse(1); }),
              StatusIs(StatusCode::kAborted, StartsWith("the confined process crashed (signal 11, ")));
  EXPECT_THAT(StatusOfCrash([] { _exit(7); }),
              StatusIs(StatusCode::kAborted, "the confined process crashed (exit status 7)"));
  EXPECT_THAT(StatusOfCrash([] { _exit(0); }),
              StatusIs(StatusCode::kAborted, "the confined process ended without a result"));
}

TEST(RunConfinedTest, RunsNothingOnASystemThatCannotConfineIt) {
  const pid_t process = fork();
  if (process == 0) {
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(seccomp), 0);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP));
    if (seccomp_load(filter) != 0) _exit(2);
    _exit(absl::IsUnimplemented(StatusOfCrash([] { std::abort(); })) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(RunConfinedTest, WorksIfSigchldIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_OK(RunConfined(kLimits, [] { return ""; }));
  std::signal(SIGCHLD, before);
}

TEST(RunConfinedTest, LeavesNoChild) {
  ASSERT_OK(RunConfined(kLimits, [] { return ""; }));
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1);
  EXPECT_EQ(errno, ECHILD);
}

// The state of the process `pid` in /proc/PID/stat; 'X' if there is no such process.
char State(pid_t pid) {
  std::string number, name;
  char state = 'X';
  std::ifstream(absl::StrCat("/proc/", pid, "/stat")) >> number >> name >> state;
  return state;
}

TEST(RunConfinedTest, TheChildEndsWithItsParent) {
  void* const page = mmap(nullptr, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* const child = static_cast<volatile pid_t*>(page);
  const pid_t parent = fork();
  if (parent == 0) {
    (void)RunConfined(kLimits, [&]() -> absl::StatusOr<std::string> {
      *child = getpid();
      absl::SleepFor(absl::Hours(1));
      return "";
    });
    _exit(0);
  }
  while (*child == 0) absl::SleepFor(absl::Milliseconds(10));
  EXPECT_THAT(State(*child), AnyOf('R', 'S'));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // The process that inherits the child may not have waited for it yet.
  for (int i = 0; i < 1000 && State(*child) != 'X' && State(*child) != 'Z'; ++i) absl::SleepFor(absl::Milliseconds(10));
  EXPECT_THAT(State(*child), AnyOf('X', 'Z'));
}

}  // namespace
}  // namespace modelport
