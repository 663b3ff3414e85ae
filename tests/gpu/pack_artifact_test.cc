#include "tests/gpu/pack_artifact.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/output_file.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

// What the program fill makes of `packed`, in the folder.
ToolResult Fill(const std::string& packed, const std::string& folder) {
  EXPECT_OK(OutputFile::WriteWhole(folder + "/packed", packed));
  return FinishTool(StartProgram("tests/gpu/fill", {"packed", "filled.pt"}, folder));
}

TEST(PackArtifactTest, FillMakesTheSameArtifact) {
  const std::string folder = EmptyFolder("packed");
  const std::string model = DepthModel();
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(model));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  const ToolResult exported = RunTool(
      "export",
      {"--model=" + model, "--plugin_path=" + DataPath("models"), "--weights=seeded:7", "--noverify", "--out=m.pt"},
      folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const std::string artifact = ReadFile(folder + "/m.pt");
  ASSERT_OK_AND_ASSIGN(const std::string packed, PackArtifact(artifact, PublishedKeys(entry.plugin->key_map, tree), 7));
  EXPECT_THAT(packed, SizeIs(Lt(artifact.size() / 4)));
  const ToolResult filled = Fill(packed, folder);
  ASSERT_EQ(filled.exit_status, 0) << filled.err;
  EXPECT_EQ(ReadFile(folder + "/filled.pt"), artifact);
}

TEST(PackArtifactTest, KeepsRecordsOfOtherSeeds) {
  const std::vector<SeededKey> keys = {{"a.weight", {4, 4}}};
  std::vector<float> numbers(16);
  SeededWeights("a.weight", {4, 4}, 1, absl::MakeSpan(numbers));
  const std::string artifact = ZipArchive({{"m/data/0", {reinterpret_cast<const char*>(numbers.data()), 64}}});
  ASSERT_OK_AND_ASSIGN(const std::string same, PackArtifact(artifact, keys, 1));
  EXPECT_THAT(same, HasSubstr("seeded 16 1 0x0p+0 "));
  ASSERT_OK_AND_ASSIGN(const std::string other, PackArtifact(artifact, keys, 2));
  EXPECT_THAT(other, AllOf(Not(HasSubstr("seeded")), HasSubstr(artifact)));
}

TEST(PackArtifactTest, RefusesWhatIsNoArchive) {
  EXPECT_THAT(PackArtifact("text", {}, 0), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("zip")));
}

TEST(FillTest, RefusesOtherFiles) {
  for (const std::string packed : {"", "text 1\n", "bytes 9\nshort"}) {
    const ToolResult filled = Fill(packed, EmptyFolder("other"));
    EXPECT_EQ(filled.exit_status, 1) << packed;
    EXPECT_THAT(filled.err, HasSubstr("packed: "));
  }
}

}  // namespace
}  // namespace modelport
