// Writes of an export fail, as on a full disk or at a quota, or are the last call of the process; maps of its files
// fail. The files of an earlier export stay, and the next export leaves nothing of the failed one.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples.h"
#include "tests/faults.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr char kCheckpoint[] = "weights.safetensors";

struct Fault {
  std::string name;
  std::string call;
  std::string kind;   // As FAULT_KIND of tests/fault_shim.cc.
  int error;          // 0 for kinds that kill.
  std::string words;  // Of the error, in the message.

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

class WriteFaultsTest : public testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    fs::copy(DataPath(absl::StrCat("tests/checkpoints/", ExampleModel("depth"), ".safetensors")),
             folder_ + "/" + kCheckpoint);
    std::ofstream(folder_ + "/m.pt") << "old artifact";
    std::ofstream(folder_ + "/m.manifest.json") << "old manifest";
  }

  static std::vector<std::string> Arguments() {
    return {"--model=" + ExampleModel("depth"), absl::StrCat("--checkpoint=", kCheckpoint), "--out=m.pt",
            "--plugin_path=" + DataPath("models")};
  }

  void ExpectOldFiles() const {
    EXPECT_EQ(ReadFile(folder_ + "/m.pt"), "old artifact");
    EXPECT_EQ(ReadFile(folder_ + "/m.manifest.json"), "old manifest");
  }

  const std::string folder_ = EmptyFolder("writes");
};

TEST_P(WriteFaultsTest, LeaveTheOldFiles) {
  const Fault& fault = GetParam();
  int faults = 0;
  // The first calls one by one, later ones at growing distances.
  for (int number = 1;; number = number < 4 ? number + 1 : 2 * number) {
    const ToolResult result = RunFaultyTool("export", Arguments(), folder_,
                                            {{"FAULT_AT", absl::StrCat(number)},
                                             {"FAULT_CALLS", fault.call},
                                             {"FAULT_KIND", fault.kind},
                                             {"FAULT_ERROR", absl::StrCat(fault.error)}});
    if (!FaultCame()) break;
    SCOPED_TRACE(absl::StrCat(fault.call, " ", number, ": ", result.err));
    ++faults;
    ExpectOldFiles();
    if (fault.error == 0) {
      EXPECT_EQ(result.exit_status, 128 + 9);
    } else {
      EXPECT_EQ(result.exit_status, 1);
      EXPECT_THAT(result.err, MatchesRegex("[A-Z_]+: [a-z0-9_/.]+: (.|\n)*"));
      EXPECT_THAT(result.err, HasSubstr(fault.words));
      EXPECT_THAT(FileNames(folder_), ElementsAre("m.manifest.json", "m.pt", kCheckpoint));
    }
  }
  EXPECT_GE(faults, 2);
  EXPECT_EQ(RunTool("export", Arguments(), folder_).exit_status, 0);
  EXPECT_THAT(FileNames(folder_), ElementsAre("m.manifest.json", "m.pt", kCheckpoint));
}

INSTANTIATE_TEST_SUITE_P(Faults, WriteFaultsTest,
                         testing::Values(Fault{"BadDisk", "write", "fail", EIO, "Input/output error"},
                                         Fault{"FullDisk", "write", "last", ENOSPC, "the disk is full"},
                                         Fault{"Quota", "write", "last", EDQUOT, "the disk quota is used up"},
                                         Fault{"KilledWriter", "write", "kill", 0, ""},
                                         Fault{"NoMap", "mmap", "fail", ENOMEM, "Cannot allocate memory"},
                                         Fault{"KilledAtAMap", "mmap", "kill", 0, ""}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
