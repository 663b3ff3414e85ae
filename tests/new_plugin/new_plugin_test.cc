// A new plugin builds, passes its test and exports; a draft takes every tensor of its checkpoint.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/table_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kList[] = "PLUGINS = [\n    \"layers\",\n]\n";

class NewPluginTest : public testing::Test {
 protected:
  // Runs the tool in the workspace `workspace`, as `bazel run` does.
  ToolResult New(const std::vector<std::string>& flags) {
    return RunTool("new_plugin", flags, folder_, [&] { setenv("BUILD_WORKSPACE_DIRECTORY", folder_.c_str(), 1); });
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  // Expects that the plugin of `family` in `folder` passes the test that model_plugin() declares.
  void ExpectPassesItsTest(const std::string& family, const std::string& folder) {
    const ToolResult tested = FinishTool(StartProgram("registry/plugin_test_program", {family, folder}, folder_));
    EXPECT_EQ(tested.exit_status, 0) << tested.out;
  }

  // Exports `family` of the plugin in `folder` and returns what that printed. It has to succeed.
  std::string Export(const std::string& family, const std::string& folder, const std::string& weights) {
    const ToolResult exported =
        RunTool("export", {"--model=" + family, "--plugin_path=" + folder, weights, "--out=m.pt"}, folder_);
    EXPECT_EQ(exported.exit_status, 0) << exported.err;
    return exported.out;
  }

  const std::string folder_ = EmptyFolder("workspace");
};

TEST_F(NewPluginTest, AnExampleIsListedPassesItsTestAndExports) {
  std::filesystem::create_directory(folder_ + "/models");
  Write("models/plugins.bzl", kList);
  const ToolResult made = New({"--name=my_net"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.err, IsEmpty());
  EXPECT_EQ(ReadFile(folder_ + "/models/plugins.bzl"), "PLUGINS = [\n    \"layers\",\n    \"my_net\",\n]\n");
  EXPECT_THAT(made.out, HasSubstr("Added \"my_net\" to PLUGINS"));
  EXPECT_THAT(made.out, HasSubstr("  ./bazelw test //models/my_net:all\n"));
  const std::string plugin = folder_ + "/models/my_net";
  EXPECT_THAT(FileNames(plugin), ElementsAre("BUILD", "keymap.yaml", "modules.yaml", "plugin.yaml"));
  ExpectPassesItsTest("my_net", plugin);
  EXPECT_THAT(Export("my_net", plugin, "--weights=seeded"), HasSubstr("14 tensors bitwise equal"));
}

TEST_F(NewPluginTest, FilesNameTheSchemasOfTheirWorkspace) {
  std::filesystem::create_directory(folder_ + "/models");
  Write("models/plugins.bzl", kList);
  EXPECT_EQ(New({"--name=without"}).exit_status, 0);
  EXPECT_THAT(ReadFile(folder_ + "/models/without/keymap.yaml"), Not(HasSubstr("$schema")));
  std::filesystem::create_directories(folder_ + "/docs/schema");
  EXPECT_EQ(New({"--name=with"}).exit_status, 0);
  for (const std::string file : {"plugin", "modules", "keymap"}) {
    EXPECT_THAT(ReadFile(absl::StrCat(folder_, "/models/with/", file, ".yaml")),
                testing::StartsWith(
                    absl::StrCat("# yaml-language-server: $schema=../../docs/schema/", file, ".schema.json\n")));
  }
}

TEST_F(NewPluginTest, AListOfAnotherFormStaysAndTheLineIsPrinted) {
  std::filesystem::create_directory(folder_ + "/models");
  Write("models/plugins.bzl", "PLUGINS = [\"layers\"]\n");
  const ToolResult made = New({"--name=my_net"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_EQ(ReadFile(folder_ + "/models/plugins.bzl"), "PLUGINS = [\"layers\"]\n");
  EXPECT_THAT(made.out, HasSubstr("Add this line to the sorted list PLUGINS"));
  EXPECT_THAT(made.out, HasSubstr("\n    \"my_net\",\n"));
}

TEST_F(NewPluginTest, AFolderThatExistsStaysAsItIs) {
  std::filesystem::create_directories(folder_ + "/models/my_net");
  Write("models/plugins.bzl", kList);
  const ToolResult made = New({"--name=my_net"});
  EXPECT_EQ(made.exit_status, 1);
  EXPECT_THAT(made.err, testing::StartsWith("ALREADY_EXISTS: " + folder_ + "/models/my_net: exists already"));
  EXPECT_THAT(FileNames(folder_ + "/models"), ElementsAre("my_net", "plugins.bzl"));
  EXPECT_THAT(FileNames(folder_ + "/models/my_net"), IsEmpty());
  EXPECT_EQ(ReadFile(folder_ + "/models/plugins.bzl"), kList);
}

TEST_F(NewPluginTest, AWorkspaceWithoutListHasTheFolderAndAnError) {
  std::filesystem::create_directory(folder_ + "/models");
  const ToolResult made = New({"--name=my_net"});
  EXPECT_EQ(made.exit_status, 1);
  EXPECT_THAT(made.err, HasSubstr("my_net is written, but not listed; add \"my_net\" to PLUGINS: "));
  EXPECT_THAT(FileNames(folder_ + "/models"), ElementsAre("my_net"));
}

TEST_F(NewPluginTest, ABadCheckpointLeavesNothing) {
  EXPECT_EQ(New({"--name=my_net", "--out=new", "--checkpoint=" + TableFile("truncated_half.pth")}).exit_status, 1);
  Write("deep.safetensors",
        SafetensorsFile(R"({"a..w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "8 bytes."));
  const ToolResult made = New({"--name=my_net", "--out=new", "--checkpoint=deep.safetensors"});
  EXPECT_EQ(made.exit_status, 1);
  EXPECT_THAT(made.err,
              HasSubstr("deep.safetensors: key \"a..w\" has an empty part between dots; rename it in the file\n"));
  EXPECT_THAT(FileNames(folder_), ElementsAre("deep.safetensors"));
}

TEST_F(NewPluginTest, KeysThatNoMemberCanHaveFitByRenames) {
  std::vector<std::string> entries;
  for (const char* key :
       {"in.forward", "x: \\\"y\\\\ #.w", "self.tensor.null", "blocks.0.1x1", "modules.list", "\\u00e9\\u001b.w"}) {
    const size_t offset = 8 * entries.size();
    entries.push_back(
        absl::StrCat("\"", key, R"(":{"dtype":"F32","shape":[2],"data_offsets":[)", offset, ",", offset + 8, "]}"));
  }
  Write("odd.safetensors",
        SafetensorsFile("{" + absl::StrJoin(entries, ",") + "}", std::string(8 * entries.size(), 'a')));
  const ToolResult made = New({"--name=odd", "--out=new", "--checkpoint=odd.safetensors"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  ExpectPassesItsTest("odd", folder_ + "/new");
  EXPECT_THAT(Export("odd", "new", "--checkpoint=odd.safetensors"), HasSubstr("6 tensors bitwise equal"));
}

class DraftTest : public NewPluginTest, public testing::WithParamInterface<std::string> {};

// The export compares key by key, and nothing of the file may be left.
TEST_P(DraftTest, TakesEveryTensorPassesItsTestAndExports) {
  const std::string checkpoint = "--checkpoint=" + DataPath(absl::StrCat("tests/checkpoints/", GetParam()));
  const ToolResult made = New({"--name=my_net", "--out=new", checkpoint});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("It computes NOTHING of the model yet"));
  const std::string key_map = ReadFile(folder_ + "/new/keymap.yaml");
  EXPECT_THAT(key_map, Not(HasSubstr("missing")));
  EXPECT_THAT(key_map, Not(HasSubstr("unused")));
  ExpectPassesItsTest("my_net", folder_ + "/new");
  EXPECT_THAT(Export("my_net", "new", checkpoint), HasSubstr("tensors bitwise equal"));
}

INSTANTIATE_TEST_SUITE_P(All, DraftTest,
                         testing::Values(ExampleModel("features") + ".pth", DepthModel() + ".safetensors",
                                         "legacy_nested_model.pth", "mixed_dtypes.pth", "teacher_chunked_blocks.pth",
                                         "dataparallel_state_dict.pth", "teacher_student_module_backbone.pth"),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace modelport
