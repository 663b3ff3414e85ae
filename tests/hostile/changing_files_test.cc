// Another process changes a file while a tool reads it. The tool ends with one clear error and leaves no output and no
// partial file.
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/testing/other_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::StartsWith;

// The checkpoint of the test.
std::string Name() { return DepthModel() + ".safetensors"; }

// Exports from a copy of a checkpoint. `change` is applied to the copy right after the export has opened it.
class ChangingCheckpointTest : public testing::Test {
 protected:
  ToolResult ExportAndChange(const std::function<void(const std::string& path)>& change) {
    const fs::path source = DataPath("tests/checkpoints/" + Name());
    fs::copy(source, folder_ + "/" + Name());
    usleep(20'000);  // File times have a resolution of a few milliseconds.
    const int watch = inotify_init1(IN_CLOEXEC);
    EXPECT_GE(inotify_add_watch(watch, (folder_ + "/" + Name()).c_str(), IN_OPEN), 0);
    const pid_t pid = StartTool(
        "export",
        {"--model=" + DepthModel(), "--checkpoint=" + Name(), "--out=m.pt", "--plugin_path=" + DataPath("models")},
        folder_);
    char event[4096];
    EXPECT_GT(read(watch, event, sizeof(event)), 0);
    close(watch);
    change(folder_ + "/" + Name());
    return FinishTool(pid);
  }

  // The same until an export fails: it cannot see a change that comes before it looks at the file's time, or after its
  // end.
  ToolResult FailingExport(const std::function<void(const std::string& path)>& change) {
    ToolResult result;
    for (int attempt = 0; attempt < 100 && result.exit_status == 0; ++attempt) {
      for (const std::string& name : FileNames(folder_)) fs::remove(folder_ + "/" + name);
      result = ExportAndChange(change);
    }
    return result;
  }

  void ExpectRefused(const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(FileNames(folder_), ElementsAre(Name()));
    EXPECT_EQ(result.out, "");
  }

  const std::string folder_ = EmptyFolder("changing");
};

TEST_F(ChangingCheckpointTest, BytesWrittenInPlaceAreRefused) {
  const ToolResult result = FailingExport([](const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\1');
  });
  ExpectRefused(result);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: " + Name() + ": changed while it was read\n  "));
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer handles SIGBUS itself.
TEST_F(ChangingCheckpointTest, ATruncatedFileIsRefused) {
  const ToolResult result = FailingExport([](const std::string& path) { fs::resize_file(path, 20'000); });
  ExpectRefused(result);
  // Either the hashing thread or the writer reaches the missing bytes first.
  EXPECT_THAT(result.err, AnyOf(StartsWith("DATA_LOSS: " + Name() + ": was truncated while it was read\n  "),
                                StartsWith("DATA_LOSS: " + Name() + ": truncated: "),
                                StartsWith("FAILED_PRECONDITION: " + Name() + ": changed while it was read\n")));
}
#endif

TEST_F(ChangingCheckpointTest, AnUnchangedFileIsExported) {
  const ToolResult result = ExportAndChange([](const std::string&) {});
  EXPECT_EQ(result.exit_status, 0) << result.err;
}

// Opens a file and writes its first byte, again and again, as long as this object lives.
class Writer {
 public:
  explicit Writer(const std::string& path) : thread_([this, path] { Write(path); }) {}
  ~Writer() {
    stop_ = true;
    thread_.join();
  }

 private:
  void Write(const std::string& path) const {
    const char first = static_cast<char>(std::ifstream(path, std::ios::binary).get());
    while (!stop_) {
      std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put(first);
      usleep(1000);
    }
  }

  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

struct Reading {
  std::string name;
  std::string tool;
  std::vector<std::string> arguments;
  std::string file;  // The one that changes.

  friend void PrintTo(const Reading& reading, std::ostream* out) { *out << reading.name; }
};

class ChangingFilesTest : public testing::TestWithParam<Reading> {
 protected:
  void SetUp() override {
    const ToolResult result = RunTool("export",
                                      {"--model=" + DepthModel(), "--plugin_path=" + DataPath("models"),
                                       "--weights=seeded", "--out=m.pt", "--noverify"},
                                      folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    fs::copy(DataPath("tests/checkpoints/" + Name()), folder_ + "/c.safetensors");
  }

  const std::string folder_ = EmptyFolder("changing");
};

// A tool may have read the file before the first write, and is called again then.
TEST_P(ChangingFilesTest, AreRefused) {
  const std::vector<std::string> before = FileNames(folder_);
  const std::string error = absl::StrCat("FAILED_PRECONDITION: ", GetParam().file, ": changed while it was read\n");
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Writer writer(absl::StrCat(folder_, "/", GetParam().file));
    const ToolResult result = RunTool(GetParam().tool, GetParam().arguments, folder_);
    if (absl::StartsWith(result.err, error)) {
      EXPECT_EQ(result.exit_status, 1);
      EXPECT_EQ(FileNames(folder_), before);
      return;
    }
    for (const char* out : {"/out", "/out.safetensors"}) fs::remove_all(folder_ + out);
  }
  FAIL() << GetParam().tool << " accepts it";
}

TEST_P(ChangingFilesTest, AreRefusedIfAnotherProgramMayChangeThemUnseen) {
  const std::string path = absl::StrCat(folder_, "/", GetParam().file);
  if (!HasLeases(path)) GTEST_SKIP() << "no leases here";
  const std::vector<std::string> before = FileNames(folder_);
  const WritableMapping mapping(path);
  const ToolResult result = RunTool(GetParam().tool, GetParam().arguments, folder_);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith(absl::StrCat("FAILED_PRECONDITION: ", GetParam().file,
                                                  ": another program has it open for writing")));
  EXPECT_EQ(FileNames(folder_), before);
}

INSTANTIATE_TEST_SUITE_P(
    Tools, ChangingFilesTest,
    testing::Values(Reading{"InspectCheckpoint", "inspect", {"--checkpoint=c.safetensors"}, "c.safetensors"},
                    Reading{"InspectArtifact", "inspect", {"--artifact=m.pt"}, "m.pt"},
                    Reading{"NewPlugin",
                            "new_plugin",
                            {"--checkpoint=c.safetensors", "--name=new_family", "--out=out"},
                            "c.safetensors"},
                    Reading{"Convert",
                            "convert",
                            {"--checkpoint=c.safetensors", "--layout=original", "--out=out.safetensors",
                             "--plugin_path=" + DataPath("models")},
                            "c.safetensors"},
                    Reading{"DiffCheckpoints", "diff", {"c.safetensors", "c.safetensors"}, "c.safetensors"},
                    Reading{"DiffArtifacts", "diff", {"m.pt", "m.pt", "--plugin_path=" + DataPath("models")}, "m.pt"},
                    Reading{"Verify", "verify", {"m.pt", "--plugin_path=" + DataPath("models")}, "m.pt"},
                    Reading{"Lint", "lint", {"m.pt"}, "m.pt"},
                    Reading{"ParityArtifact", "parity", {"--artifact=m.pt", "--find_nan"}, "m.pt"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
