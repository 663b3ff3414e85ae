#include "common/torchscript/lint/script_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/torchscript/lint/testing/script_writer.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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
