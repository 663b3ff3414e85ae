// Names with terminal escapes or line breaks: every tool prints them escaped.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/digest/sha256.h"
#include "common/text/printable.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Clears the screen, forges a line, moves the cursor by a C1 byte, reverses the text direction, and is not UTF-8.
constexpr char kHostile[] = "\x1b[2J\nOK: proven\r\x07\x7f\xc2\x9b\x31G\xe2\x80\xae\xff";

// The same in JSON, without the bytes that are not UTF-8.
constexpr char kHostileJson[] = "\\u001b[2J\\nOK: proven\\r\\u0007\\u007f\\u009b1G\\u202e";

bool IsVisible(absl::string_view text) {
  while (!text.empty()) {
    const absl::optional<Utf8Character> character = FirstUtf8Character(text);
    if (!character) return false;
    const uint32_t c = character->code_point;
    if ((c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || c == 0x202e) return false;
    text.remove_prefix(character->size);
  }
  return true;
}

void ExpectHarmless(const ToolResult& result) {
  for (const std::string& text : {result.out, result.err}) {
    EXPECT_TRUE(IsVisible(text)) << text;
    for (absl::string_view line : absl::StrSplit(text, '\n')) EXPECT_THAT(std::string(line), Not(StartsWith("OK")));
  }
  if (result.exit_status == 0) return;
  const std::vector<std::string> lines = absl::StrSplit(result.err, '\n', absl::SkipEmpty());
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], testing::MatchesRegex("[A-Z_]+: .*"));
  for (size_t i = 1; i < lines.size(); ++i) EXPECT_THAT(lines[i], StartsWith("  "));
}

class HostileNamesTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments) {
    if (tool != "lint") arguments.push_back(ExamplePlugins({"depth"}));
    return RunWarmTool(tool, arguments, folder_);
  }

  // Runs every tool that reads checkpoints.
  void ExpectHarmlessCheckpoint(const std::string& bytes) {
    Write("c.pth", bytes);
    ExpectHarmless(Run("inspect", {"--checkpoint=c.pth"}));
    ExpectHarmless(Run("inspect", {"--checkpoint=c.pth", "--model=" + DepthModel()}));
    const ToolResult exported = Run("export", {"--checkpoint=c.pth", "--model=" + DepthModel(), "--out=m.pt"});
    EXPECT_EQ(exported.exit_status, 1);
    ExpectHarmless(exported);
    ExpectHarmless(Run("lint", {"c.pth"}));
    ExpectHarmless(Run("convert", {"--checkpoint=c.pth", "--layout=transformers", "--out=o"}));
    ExpectHarmless(Run("diff", {"c.pth", "c.pth"}));
    ExpectHarmless(Run("diff", {"c.pth", "c.pth", "--json"}));
  }

  const std::string folder_ = EmptyFolder("hostile");
};

std::string Tensor(const std::string& storage = "0") {
  return PickleTensor(PickleStorage("FloatStorage", storage, 2), 0, {2}, {1});
}

TEST_F(HostileNamesTest, KeysAndMetadataOfSafetensors) {
  const std::string entry = R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string good = absl::StrCat("{\"__metadata__\":{\"", kHostileJson, "\":\"", kHostileJson,
                                        "\"},\"pretrained.", kHostileJson, entry);
  ExpectHarmlessCheckpoint(SafetensorsFile(good + "}", "8 bytes."));
  ExpectHarmlessCheckpoint(SafetensorsFile(absl::StrCat(good, ",\"pretrained.", kHostileJson, entry, "}"), "8 bytes."));
  ExpectHarmlessCheckpoint(SafetensorsFile(absl::StrReplaceAll(good, {{"F32", kHostileJson}}) + "}", "8 bytes."));
  ExpectHarmlessCheckpoint(SafetensorsFile(absl::StrReplaceAll(good, {{"shape", kHostileJson}}) + "}", "8 bytes."));
}

class HostilePickleTest : public HostileNamesTest, public testing::WithParamInterface<std::string> {};

TEST_P(HostilePickleTest, KeysClassesAndStorages) {
  const std::string hostile = GetParam();
  const std::string key = PickleString(hostile);
  const std::string line = absl::StrReplaceAll(hostile, {{"\n", " "}});  // A class name ends with its line.
  const std::string object = PickleCall(PickleGlobal(line, line), {Tensor()});
  const auto zip = [](const std::string& value) { return TorchZipFile(value, {{"0", 2, "8 bytes."}}); };
  const std::string dict = PickleDict({{key, Tensor()}});
  ExpectHarmlessCheckpoint(zip(dict));
  ExpectHarmlessCheckpoint(zip(PickleDict({{key, dict}, {PickleString("o"), object}})));
  ExpectHarmlessCheckpoint(zip(PickleDict({{key, object}})));
  ExpectHarmlessCheckpoint(zip(object));
  ExpectHarmlessCheckpoint(zip(PickleDict({{key, Tensor()}, {key, Tensor()}})));
  ExpectHarmlessCheckpoint(zip(PickleDict({{key, Tensor(hostile)}})));
  ExpectHarmlessCheckpoint(zip(PickleDict({{key, PickleTensor(PickleStorage(line, "0", 2), 0, {2}, {1})}})));
  ExpectHarmlessCheckpoint(TorchLegacyFile(PickleDict({{key, Tensor(hostile)}}), {{hostile, 3, "8 bytes."}}));
}

// UTF-8, and not.
INSTANTIATE_TEST_SUITE_P(Names, HostilePickleTest,
                         testing::Values(kHostile, std::string(kHostile, sizeof(kHostile) - 2)));

TEST_F(HostileNamesTest, RecordsOfArchives) {
  const std::string pickle = Pickled(PickleDict({{PickleString("w"), Tensor()}}));
  const std::string folder = kHostile;
  ExpectHarmlessCheckpoint(ZipArchive({{folder + "/data.pkl", pickle}, {folder + "/data/0", "short"}}));
  ExpectHarmlessCheckpoint(ZipArchive({{folder + "/data.pkl", pickle}, {"b/data.pkl", pickle}}));
  ExpectHarmlessCheckpoint(ZipArchive({{folder, ""}, {folder, ""}}));
  ExpectHarmlessCheckpoint(ZipArchive({{"a/data.pkl", pickle}, {"a/byteorder", kHostile}}));
  ExpectHarmlessCheckpoint(ZipArchive({{folder + "/data.pkl", pickle}, {folder + "/constants.pkl", pickle}}));
}

TEST_F(HostileNamesTest, Paths) {
  const std::string name = absl::StrCat(kHostile, ".pth");
  Write(name, SmallTorchZip());
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"inspect", "--checkpoint=" + name},
        {"export", "--model=" + DepthModel(), "--checkpoint=" + name},
        {"export", "--model=" + DepthModel(), "--weights=seeded", "--out=" + name},
        {"verify", "--artifact=" + name},
        {"lint", name},
        {"convert", "--layout=original", "--out=o", "--checkpoint=" + name},
        {"diff", name, name},
        {"inspect", "--checkpoint=c.pth", "--model=" + name}}) {
    const ToolResult result = Run(arguments[0], {arguments.begin() + 1, arguments.end()});
    EXPECT_EQ(result.exit_status, 1);
    ExpectHarmless(result);
    EXPECT_THAT(result.err, HasSubstr("\\x1b[2J\\nOK: proven"));
  }
  // Only control characters are refused: a name may be in another encoding than UTF-8.
  Write("caf\xe9.pth", SmallTorchZip());
  const ToolResult result = Run("inspect", {"--checkpoint=caf\xe9.pth"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("caf\\xe9.pth: torch.save (zip)"));
}

TEST_F(HostileNamesTest, Manifests) {
  // What a manifest says of seeded weights, and of a checkpoint.
  const std::string checkpoint = fs::absolute("tests/checkpoints/" + DepthModel() + ".safetensors");
  const std::vector<std::pair<std::string, std::vector<std::string>>> exports = {
      {"--weights=seeded", {DepthModel(), "seeded:v1:0", "libtorch", "float32", ExampleFamily("depth") + "_tiny"}},
      {"--checkpoint=" + checkpoint, {"sha256:" + Sha256Of(ReadFile(checkpoint)), "original"}}};
  for (const auto& [weights, values] : exports) {
    ASSERT_EQ(Run("export", {"--model=" + DepthModel(), weights, "--out=m.pt"}).exit_status, 0);
    const std::string good = ReadFile(folder_ + "/m.manifest.json");
    const std::string name = absl::StrCat("\"", kHostileJson, "\"");
    std::vector<std::string> altered = {absl::StrReplaceAll(good, {{"\"model\"", name}}),
                                        absl::StrReplaceAll(good, {{"\"weights\"", name}})};
    for (const std::string& value : values) {
      altered.push_back(absl::StrReplaceAll(good, {{absl::StrCat("\"", value, "\""), name}}));
      EXPECT_NE(altered.back(), good) << value;
    }
    for (const std::string& manifest : altered) {
      Write("m.manifest.json", manifest);
      ExpectHarmless(Run("verify", {"--artifact=m.pt"}));
      ExpectHarmless(Run("verify", {"--artifact=m.pt", "--checkpoint=" + checkpoint}));
    }
  }
}

TEST_F(HostileNamesTest, Plugins) {
  const std::string plugins = EmptyFolder("hostile_plugins");
  std::ofstream(plugins + "/plugin.yaml") << "\"" << kHostileJson << "\": 1\nfamily: \"" << kHostileJson << "\"\n";
  for (const char* tool : {"list", "export", "inspect"}) {
    std::vector<std::string> arguments = {"--plugin_path=" + plugins};
    if (std::string(tool) == "export")
      arguments.insert(arguments.end(), {"--model=" + DepthModel(), "--weights=seeded"});
    if (std::string(tool) == "inspect") arguments.push_back("--checkpoint=c.pth");
    const ToolResult result = RunWarmTool(tool, arguments, folder_);
    EXPECT_EQ(result.exit_status, 1);
    ExpectHarmless(result);
  }
}

}  // namespace
}  // namespace modelport
