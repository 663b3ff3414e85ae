// A checkpoint that another process changes while an export reads it: no artifact, no partial file, one clear error.
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::StartsWith;

constexpr char kName[] = "tiny_dav2.safetensors";

// Exports from a copy of a checkpoint on which `change` is made as soon as it has been opened.
class ChangingCheckpointTest : public testing::Test {
 protected:
  ToolResult ExportAndChange(const std::function<void(const std::string& path)>& change) {
    const fs::path source = DataPath(std::string("tests/checkpoints/") + kName);
    fs::copy(source, folder_ + "/" + kName);
    usleep(20'000);  // The kernel's clock for files ticks every few milliseconds.
    const int watch = inotify_init1(IN_CLOEXEC);
    EXPECT_GE(inotify_add_watch(watch, (folder_ + "/" + kName).c_str(), IN_OPEN), 0);
    const pid_t pid = StartTool("export",
                                {"--model=tiny_dav2", std::string("--checkpoint=") + kName, "--out=m.pt",
                                 "--plugin_path=" + DataPath("models")},
                                folder_);
    char event[4096];
    EXPECT_GT(read(watch, event, sizeof(event)), 0);
    close(watch);
    change(folder_ + "/" + kName);
    return FinishTool(pid);
  }

  void ExpectRefused(const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(FileNames(folder_), ElementsAre(kName));
    EXPECT_EQ(result.out, "");
  }

  const std::string folder_ = EmptyFolder("changing");
};

TEST_F(ChangingCheckpointTest, BytesWrittenInPlaceAreRefused) {
  const ToolResult result = ExportAndChange([](const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\1');
  });
  ExpectRefused(result);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: tiny_dav2.safetensors: changed while it was read\n  "));
}

#ifndef __SANITIZE_ADDRESS__  // Which handles SIGBUS itself.
TEST_F(ChangingCheckpointTest, ATruncatedFileIsRefused) {
  const ToolResult result = ExportAndChange([](const std::string& path) { fs::resize_file(path, 20'000); });
  ExpectRefused(result);
  // Whichever of the readers comes first to the bytes that are gone.
  EXPECT_THAT(result.err, AnyOf(StartsWith("DATA_LOSS: tiny_dav2.safetensors: was truncated while it was read\n  "),
                                StartsWith("DATA_LOSS: tiny_dav2.safetensors: truncated: "),
                                StartsWith("FAILED_PRECONDITION: tiny_dav2.safetensors: changed while it was read\n")));
}
#endif

TEST_F(ChangingCheckpointTest, OneThatStaysAsItIsIsExported) {
  const ToolResult result = ExportAndChange([](const std::string&) {});
  EXPECT_EQ(result.exit_status, 0) << result.err;
}

}  // namespace
}  // namespace modelport
