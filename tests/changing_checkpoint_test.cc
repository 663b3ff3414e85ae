// Another process changes the checkpoint while an export reads it. The export ends with one clear error and leaves no
// artifact and no partial file.
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::StartsWith;

// The checkpoint of the test.
std::string Name() { return ExampleModel("depth") + ".safetensors"; }

// Exports from a copy of a checkpoint. `change` is applied to the copy right after the export has opened it.
class ChangingCheckpointTest : public testing::Test {
 protected:
  ToolResult ExportAndChange(const std::function<void(const std::string& path)>& change) {
    const fs::path source = DataPath("tests/checkpoints/" + Name());
    fs::copy(source, folder_ + "/" + Name());
    usleep(20'000);  // File times have a resolution of a few milliseconds.
    const int watch = inotify_init1(IN_CLOEXEC);
    EXPECT_GE(inotify_add_watch(watch, (folder_ + "/" + Name()).c_str(), IN_OPEN), 0);
    const pid_t pid = StartTool("export",
                                {"--model=" + ExampleModel("depth"), "--checkpoint=" + Name(), "--out=m.pt",
                                 "--plugin_path=" + DataPath("models")},
                                folder_);
    char event[4096];
    EXPECT_GT(read(watch, event, sizeof(event)), 0);
    close(watch);
    change(folder_ + "/" + Name());
    return FinishTool(pid);
  }

  void ExpectRefused(const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(FileNames(folder_), ElementsAre(Name()));
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
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: " + Name() + ": changed while it was read\n  "));
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer handles SIGBUS itself.
TEST_F(ChangingCheckpointTest, ATruncatedFileIsRefused) {
  const ToolResult result = ExportAndChange([](const std::string& path) { fs::resize_file(path, 20'000); });
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

}  // namespace
}  // namespace modelport
