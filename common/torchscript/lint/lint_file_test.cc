// Untrusted files: those that do harm when they are loaded, that are damaged, or that inflate to a large size.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/archive/script_file.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/lint/testing/script_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Sanitizers change how a full stack is detected and how much memory there is.
bool HasSanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#else
  return false;
#endif
}

std::string Path() { return testing::TempDir() + "/file.pt"; }

void WriteFile(const std::string& bytes) { std::ofstream(Path(), std::ios::binary) << bytes; }

absl::StatusOr<LintResult> LintBytes(const std::string& bytes) {
  WriteFile(bytes);
  return LintFile(Path(), LintOptions());
}

absl::StatusOr<LintResult> LintCode(const std::string& code) { return LintBytes(ZipArchive(RecordsWithCode(code))); }

// An error about the content of the file, whose message begins with the path, and not an internal error.
MATCHER(IsRefused, "is an error of the file") {
  *result_listener << arg.status().ToString();
  const StatusCode code = arg.status().code();
  return (code == StatusCode::kDataLoss || code == StatusCode::kResourceExhausted ||
          code == StatusCode::kFailedPrecondition) &&
         absl::StartsWith(arg.status().message(), absl::StrCat(Path(), ": "));
}

std::string Repeat(const std::string& text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST(LintFileTest, AcceptsAHarmlessFile) {
  ASSERT_OK_AND_ASSIGN(const LintResult result, LintCode(NetClass(NetForward("    return torch.relu(x).cpu()\n"))));
  ASSERT_EQ(result.findings.size(), 1);
  EXPECT_EQ(result.findings[0].rule, "device");
  EXPECT_EQ(result.findings[0].line.place, "code/__torch__.py:6");
  EXPECT_THAT(result.findings[0].modules, testing::ElementsAre(""));
  EXPECT_EQ(result.minimum_runtime, "1.12");
  EXPECT_OK(LintBytes(FileThatRuns("    state = state + 1\n")));
}

// LibTorch does not compile a call of an operator that it does not have. What else is wrong is found, too.
TEST(LintFileTest, UnknownOperatorsAreFindings) {
  ASSERT_OK_AND_ASSIGN(const LintResult result,
                       LintCode(NetClass(NetForward("    _0 = ops.torchvision.nms(x, x, 0.5)\n    _1 = ops.mine.f(_0)\n"
                                                    "    return torch.to(_1, torch.device(\"cuda:0\"), 6)\n"))));
  ASSERT_EQ(result.findings.size(), 3);
  EXPECT_EQ(result.findings[0].rule, "device");
  EXPECT_EQ(result.findings[1].rule, "operator");
  EXPECT_THAT(result.findings[1].message, StartsWith("mine::f is not an operator of LibTorch"));
  EXPECT_EQ(result.findings[1].line.place, "code/__torch__.py:7");
  EXPECT_THAT(result.findings[2].message, StartsWith("torchvision::nms is not an operator"));
  EXPECT_EQ(result.minimum_runtime, "");
}

// Loading the file runs this code, in the process without rights.
TEST(LintFileTest, CodeThatReachesFilesIsRefusedAndHasNoEffect) {
  const std::string written = testing::TempDir() + "/written";
  const std::string own_save = "  def save(self: __torch__.Net, x: int) -> int:\n    return x\n";
  for (const std::string& call : {absl::StrCat("    torch.save(state, \"", written, "\")\n"),
                                  absl::StrCat("    t = torch\n    t.save(state, \"", written, "\")\n"),
                                  absl::StrCat("    state = int(torch.sum(torch.from_file(\"", written,
                                               "\", True, 8)))\n    self.training = bool(state)\n")}) {
    EXPECT_THAT(LintBytes(FileThatRuns(call, own_save)), IsRefused()) << call;
    EXPECT_FALSE(std::filesystem::exists(written)) << call;
  }
}

TEST(LintFileTest, TheFileCannotPrint) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_OK(LintBytes(FileThatRuns("    print(\"no findings\")\n    torch.warn(\"no findings\", 2)\n")));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(LintFileTest, EndsALoop) {
  WriteFile(FileThatRuns("    n = 0\n    while torch.ge(n, 0):\n      n = torch.mul(n, 0)\n"));
  EXPECT_THAT(LintFile(Path(), LintOptions(), /*least_time=*/absl::Seconds(2)),
              StatusIs(StatusCode::kResourceExhausted,
                       AllOf(StartsWith(Path()), HasSubstr("the confined process takes more than "))));
}

TEST(LintFileTest, LimitsMemory) {
  if (HasSanitizer()) GTEST_SKIP();
  EXPECT_THAT(LintBytes(FileThatRuns(
                  "    state = int(torch.sum(torch.ones([1073741824, 4])))\n    self.training = bool(state)\n")),
              StatusIs(StatusCode::kResourceExhausted, StartsWith(Path())));
  EXPECT_THAT(LintBytes(FileThatRuns("    s = \"0123456789abcdef\"\n    for i in range(40):\n      s = torch.add(s, "
                                     "s)\n    self.training = s == \"\"\n")),
              StatusIs(StatusCode::kResourceExhausted, StartsWith(Path())));
}

TEST(LintFileTest, DeepNestingIsAnError) {
  constexpr int kDepth = 100'000;
  std::string ifs;
  for (int i = 0; i < 5'000; ++i) absl::StrAppend(&ifs, std::string(i + 4, ' '), "if bool(x):\n");
  for (const std::string& body :
       {absl::StrCat("    return ", Repeat("(", kDepth), "x", Repeat(")", kDepth), "\n"),
        absl::StrCat("    return ", Repeat("torch.neg(", kDepth), "x", Repeat(")", kDepth), "\n"),
        absl::StrCat(ifs, std::string(5'004, ' '), "x = torch.neg(x)\n    return x\n"),
        absl::StrCat("    y = annotate(", Repeat("List[", kDepth), "int", Repeat("]", kDepth), ", [])\n    return x\n"),
        absl::StrCat("    y = ", Repeat("[", kDepth), Repeat("]", kDepth), "\n    return x\n"),
        absl::StrCat("    return ", Repeat("-", kDepth), "x\n")}) {
    EXPECT_THAT(LintCode(NetClass(NetForward(body))), IsRefused());
  }
}

TEST(LintFileTest, SharedCallsAreFollowedOnce) {
  std::string methods = "  def f0(self: __torch__.Net, x: Tensor) -> Tensor:\n    return torch.relu(x)\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&methods, "  def f", i, "(self: __torch__.Net, x: Tensor) -> Tensor:\n    y = (self).f", i - 1,
                    "(x, )\n    return (self).f", i - 1, "(y, )\n");
  }
  EXPECT_OK(LintCode(NetClass(absl::StrCat(methods, NetForward("    return (self).f60(x, )\n")))));
}

TEST(LintFileTest, TuplesOfTuplesAreAnError) {
  std::string body = "    t0 = (x, x)\n";
  for (int i = 1; i <= 20; ++i) absl::StrAppend(&body, "    t", i, " = (t", i - 1, ", t", i - 1, ")\n");
  const std::string forward =
      absl::StrCat("  def forward(self: __torch__.Net, x: Tensor):\n", body, "    return t20\n");
  EXPECT_THAT(LintCode(NetClass(forward)), StatusIs(StatusCode::kResourceExhausted, HasSubstr("more than 1000 parts")));
}

TEST(LintFileTest, CompressedRecordsHaveALimit) {
  ScriptRecords records = RecordsWithCode(NetClass(NetForward("    return x\n")));
  records.emplace_back("m/code/comment.py", std::string(300 << 20, '#'));
  const std::string file = ZipArchive(records, {.deflate = true});
  EXPECT_LT(file.size(), 400'000);
  EXPECT_THAT(LintBytes(file), StatusIs(StatusCode::kResourceExhausted, HasSubstr("code/comment.py: wants at most")));
}

TEST(LintFileTest, AcceptsAHundredThousandRecords) {
  ScriptRecords records = RecordsWithCode(NetClass(NetForward("    return x\n")));
  for (int i = 0; i < 100'000; ++i) records.emplace_back(absl::StrCat("m/data/", i), "");
  EXPECT_OK(LintBytes(ZipArchive(records, {.zip64 = true})));
}

TEST(LintFileTest, RefusesRecordsOfOneName) {
  ScriptRecords records = RecordsWithCode(NetClass(NetForward("    return x\n")));
  records.push_back(records[1]);
  EXPECT_THAT(LintBytes(ZipArchive(records)), StatusIs(StatusCode::kDataLoss, HasSubstr("there are two of them")));
}

TEST(LintFileTest, RefusesRecordsThatOverlap) {
  const std::string file = ZipArchive(RecordsWithCode(NetClass(NetForward("    return x\n"))), {.first_offset = 7});
  EXPECT_THAT(LintBytes(file), StatusIs(StatusCode::kDataLoss, StartsWith(absl::StrCat(Path(), ": "))));
}

TEST(LintFileTest, DamagedPicklesAreAnError) {
  for (const std::string data :
       {"", ".", "\x80\2N.", "\x80\2K\5.", "\x80\2(((((.", "\x80\2h\5.", "\x80\2R.", "\x80\2c__torch__\nNo\n)\x81."}) {
    ScriptRecords records = RecordsWithCode(NetClass(NetForward("    return x\n")));
    records[0].second = data;
    EXPECT_THAT(LintBytes(ZipArchive(records)), StatusIs(StatusCode::kDataLoss, StartsWith(absl::StrCat(Path(), ": "))))
        << data;
  }
}

// Changes each byte of the code and of its debug records. The checksums match, so that LibTorch reads the changed
// bytes. The result must be a report or an error, and never a crash.
TEST(LintFileTest, AChangedByteIsAReportOrAnError) {
  torch::jit::Module module("Net");
  module.define("def forward(self, x):\n  return x + 1\n");
  std::ostringstream saved;
  module.save(saved);
  const std::string file = saved.str();
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  ScriptRecords records;
  for (const ScriptArchive::Record& record : archive.records()) {
    records.emplace_back(absl::StrCat("m/", record.path), record.content);
  }
  int changed = 0, reports = 0;
  for (auto& [name, content] : records) {
    if (!absl::StrContains(name, "/code/")) continue;
    for (size_t i = 0; i < content.size(); ++i) {
      const char before = content[i];
      content[i] = static_cast<char>(before ^ (1 << (i % 8)));
      const absl::StatusOr<LintResult> result = LintBytes(ZipArchive(records));
      content[i] = before;
      ++changed;
      if (result.ok()) {
        ++reports;
        continue;
      }
      EXPECT_THAT(result, IsRefused()) << name << " at " << i;
    }
  }
  EXPECT_GT(reports, 0);
  EXPECT_GT(changed, reports);
}

// A file that another process replaces again and again by `other`, of the same size, as long as this object lives.
class ChangingFile {
 public:
  ChangingFile(const std::string& file, const std::string& other) : size_(file.size()) {
    EXPECT_EQ(other.size(), size_);
    bytes_ = static_cast<char*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::memcpy(bytes_, file.data(), size_);
    writer_ = fork();
    if (writer_ != 0) return;
    for (bool changed = true;; changed = !changed) {
      std::memcpy(bytes_, changed ? other.data() : file.data(), size_);
      usleep(3'000);
    }
  }
  ~ChangingFile() {
    kill(writer_, SIGKILL);
    waitpid(writer_, nullptr, 0);
    munmap(bytes_, size_);
  }

  absl::string_view bytes() const { return {bytes_, size_}; }

 private:
  const size_t size_;
  char* bytes_;
  pid_t writer_;
};

TEST(LoadForeignScriptTest, CodeThatIsPutInBetweenCheckAndLoadDoesNotRun) {
  const std::string written = testing::TempDir() + "/written";
  const std::string harmful = FileThatRuns(absl::StrCat("    torch.save(state, \"", written, "\")\n"));
  const auto harmless = [&](size_t padding) {
    return ZipArchive(RecordsWithCode(NetClass(NetForward("    return x\n") + "#" + std::string(padding, ' ') + "\n")));
  };
  ASSERT_LT(harmless(0).size(), harmful.size());
  const ChangingFile file(harmless(harmful.size() - harmless(0).size()), harmful);
  int loaded = 0, refused = 0;
  for (int i = 0; i < 100; ++i) {
    const absl::StatusOr<ScriptFile> script = LoadForeignScript(file.bytes());
    loaded += script.ok();
    refused += absl::IsFailedPrecondition(script.status());
    ASSERT_FALSE(std::filesystem::exists(written)) << "after " << i;
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace modelport
