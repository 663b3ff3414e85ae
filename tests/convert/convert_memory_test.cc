// The tools hold one conversion in memory, and not the weights.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bench/measure.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// A file of zeros, which take no space on most disks, and the private memory that its conversion may take.
struct LargeFile {
  std::string path;
  rlim_t memory = 0;
};

absl::StatusOr<LargeFile> WriteZeros(const std::string& model, const std::string& path) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  std::vector<SafetensorsTensor> tensors;
  int64_t size = 0, largest = 0;
  for (const SeededKey& key : PublishedKeys(entry.plugin->key_map, tree)) {
    tensors.push_back({key.key, key.dtype, key.shape});
    const int64_t bytes = *ElementCount(key.shape) * ByteSize(key.dtype);
    size += bytes;
    largest = std::max(largest, bytes);
  }
  std::sort(tensors.begin(), tensors.end(), ComesBefore);
  const std::string header = SafetensorsHeader(tensors, {});
  std::ofstream(path, std::ios::binary) << header;
  fs::resize_file(path, header.size() + size);
  return LargeFile{path, static_cast<rlim_t>(size * 0.15 + largest)};
}

TEST(ConvertMemoryTest, ConvertAndDiffHoldOneTensor) {
  const std::string folder = EmptyFolder("memory");
  ASSERT_OK_AND_ASSIGN(const LargeFile file,
                       WriteZeros(ExampleModel("published features, larger"), folder + "/original"));
  const auto limit = [&] {
    const rlimit memory = {file.memory, file.memory};
    setrlimit(RLIMIT_DATA, &memory);
  };
  const std::vector<std::string> there = {"--checkpoint=original", "--layout=transformers", "--out=there"};
  const ToolResult to = RunTool("convert", there, folder, limit);
  EXPECT_EQ(to.exit_status, 0) << to.err;
  const std::vector<std::string> back = {"--checkpoint=there", "--layout=original", "--out=back"};
  const ToolResult from = RunTool("convert", back, folder, limit);
  EXPECT_EQ(from.exit_status, 0) << from.err;
  const ToolResult diff = RunTool("diff", {"original", "there"}, folder, limit);
  EXPECT_EQ(diff.exit_status, 0) << diff.err;
  fs::remove_all(folder);
}

// What an export reads from another layout it makes one tensor at a time, and keeps in a file.
TEST(ConvertMemoryTest, AnExportKeepsConvertedTensorsOutOfMemory) {
  const std::string folder = EmptyFolder("export_memory");
  ASSERT_OK_AND_ASSIGN(const LargeFile file,
                       WriteZeros(ExampleModel("published features, larger"), folder + "/original"));
  const ToolResult to =
      RunTool("convert", {"--checkpoint=original", "--layout=transformers", "--out=transformers"}, folder);
  ASSERT_EQ(to.exit_status, 0) << to.err;
  const auto peak = [&](const std::string& checkpoint) {
    const Measurement run = Measure(
        absl::StrCat(DataPath("tools/export/export"),
                     " --model=" + ExampleModel("published features, larger") + " --noverify --checkpoint=", folder,
                     "/", checkpoint, " --out=", folder, "/m.pt"));
    EXPECT_EQ(run.exit_status, 0) << checkpoint;
    return run.peak_anon_bytes;
  };
  EXPECT_LT(peak("transformers") - peak("original"), static_cast<int64_t>(file.memory));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace modelport
