// Rules of a key map, from the checkpoint to the artifact: those that give numbers, and those that cannot be applied.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/io/byte_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kPlugin[] = R"yaml(family: table
summary: adds a position table
upstream: {source: "https://example.org/table", commit: 0a1b2c3, licence: MIT}
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([1, 10, 2])"]
variants:
  table_3x3: {summary: 3 x 3, module: Table(side=3), file: table.safetensors, url: "https://example.org/t", licence: MIT}
)yaml";

constexpr char kModules[] = R"yaml(modules:
  Table(side):
    parameters:
      pos_embed: [1, 1 + side * side, 2]
      scale: [1]
    buffers:
      index: {shape: [2], dtype: int64}
      used: {shape: [], dtype: bool}
      small: {shape: [2], dtype: int8}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return (x + self.pos_embed) * self.scale
)yaml";

constexpr char kKeyMap[] = R"yaml(layouts:
  original:
    recognise: [pos_embed, used]
  small:
    recognise: [pos_embed, smaller]
    missing:
      - {key: scale, value: 0.5, reason: older files lack it}
      - {key: used, value: true, reason: older files use the table}
    sources:
      - slot: pos_embed
        key: pos_embed
        by: "resample_bicubic(1, 1, 3, 3)"
        one_way: a table for another image size has been resampled
      - {slot: index, key: index, by: "cast(int32, int64)"}
      - {slot: small, key: smaller, by: "cast(int32, int8)"}
)yaml";

class KeyRulesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ + "/plugins/table");
    Write("plugin.yaml", kPlugin);
    Write("modules.yaml", kModules);
    Write("keymap.yaml", kKeyMap);
  }

  // A file of the plugin.
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(absl::StrCat(folder_, "/plugins/table/", name)) << text;
  }

  // A file in layout small, with a grid [2, 2]; `last` is the last element of the int32 tensor that fills `small`.
  void WriteSmall(int32_t last) {
    const std::string header = R"({"pos_embed":{"dtype":"F32","shape":[1,5,2],"data_offsets":[0,40]},)"
                               R"("index":{"dtype":"I32","shape":[2],"data_offsets":[40,48]},)"
                               R"("smaller":{"dtype":"I32","shape":[2],"data_offsets":[48,56]}})";
    const std::string table = LittleEndian(std::vector<float>{9, 10, 1, 10, 2, 10, 3, 10, 4, 10});
    std::ofstream(folder_ + "/c.safetensors", std::ios::binary) << SafetensorsFile(
        header, table + LittleEndian(std::vector<int32_t>{7, 1 << 30}) + LittleEndian(std::vector<int32_t>{-1, last}));
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> flags) {
    flags.push_back("--plugin_path=plugins");
    return RunTool(tool, flags, folder_);
  }

  ToolResult Export() { return Run("export", {"--model=table_3x3", "--checkpoint=c.safetensors", "--out=m.pt"}); }

  const std::string folder_ = EmptyFolder("key_rules");
};

TEST_F(KeyRulesTest, TheArtifactHasTheNumbersAndTheManifestNamesThem) {
  WriteSmall(127);
  const ToolResult result = Export();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("changed     scale 0.5: older files lack it; used 1: older files use the table; pos_embed by "
                        "resample_bicubic(1, 1, 3, 3): a table for another image size has been resampled\n"));
  const Json weights = Json::parse(ReadFile(folder_ + "/m.manifest.json"))["weights"];
  EXPECT_EQ(weights["constants"][0],
            Json::parse(R"({"slot": "scale", "value": "0.5", "reason": "older files lack it"})"));
  EXPECT_EQ(weights["changed"][0]["slot"], "pos_embed");
  EXPECT_EQ(weights["changed"][0]["operation"], "resample_bicubic(1, 1, 3, 3)");
  for (const std::string checkpoint : {"", "--checkpoint=c.safetensors"}) {
    std::vector<std::string> flags = {"--artifact=m.pt"};
    if (!checkpoint.empty()) flags.push_back(checkpoint);
    const ToolResult verified = Run("verify", flags);
    EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
  }
}

TEST_F(KeyRulesTest, InspectShowsThem) {
  WriteSmall(127);
  const ToolResult result = Run("inspect", {"--model=table_3x3", "--checkpoint=c.safetensors"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("3 of 5 slots filled\n"), HasSubstr("  constant(0.5): scale (older files lack it)\n"),
                    HasSubstr("  changed: pos_embed by resample_bicubic(1, 1, 3, 3) (a table for another "
                              "image size has been resampled)\n"),
                    HasSubstr("  small      <- cast(int32, int8) smaller")));
}

TEST_F(KeyRulesTest, ANumberThatTheDTypeLacksIsRefusedAndNothingIsWritten) {
  WriteSmall(128);
  const std::string reason = "c.safetensors: small: cast(int32, int8): int8 does not hold 128, element 1 of [2]\n";
  const ToolResult exported = Export();
  EXPECT_EQ(exported.exit_status, 1);
  EXPECT_THAT(exported.err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr(reason)));
  const ToolResult diff = Run("diff", {"c.safetensors", "c.safetensors"});
  EXPECT_EQ(diff.exit_status, 1);
  EXPECT_THAT(diff.err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr(reason)));
  const ToolResult converted = Run("convert", {"--checkpoint=c.safetensors", "--layout=original",
                                               "--out=out.safetensors", "--leave_out=pos_embed,scale,used"});
  EXPECT_EQ(converted.exit_status, 1);
  EXPECT_THAT(converted.err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr(reason)));
  EXPECT_THAT(FileNames(folder_), ElementsAre("c.safetensors", "plugins"));
}

TEST_F(KeyRulesTest, ConvertRefusesWhatItWouldChange) {
  WriteSmall(127);
  const ToolResult result =
      Run("convert", {"--checkpoint=c.safetensors", "--layout=original", "--out=out.safetensors"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("layout original cannot hold 3 parts of it\n"),
                    HasSubstr("  pos_embed: layout small gives it other numbers by resample_bicubic(1, 1, 3, 3)\n"),
                    HasSubstr("  scale: the checkpoint lacks it, layout original requires it\n")));
  EXPECT_EQ(Run("convert", {"--checkpoint=c.safetensors", "--layout=small", "--out=out.safetensors"}).exit_status, 0);
  EXPECT_EQ(Run("diff", {"c.safetensors", "out.safetensors"}).exit_status, 0);
}

TEST_F(KeyRulesTest, RulesThatCannotBeAppliedAreNamedWithLineAndKeyAndNothingIsWritten) {
  WriteSmall(127);
  const struct {
    std::string where, rule;  // The text of kKeyMap behind which `rule` is added.
    std::string error;
  } kCases[] = {
      {"    sources:\n", "      - {slot: \"{any}\", key: \"{any}\", when: index}\n",
       "\n  cannot be made: small (plugins/table/keymap.yaml:10:9): the rule at plugins/table/keymap.yaml:16:9 fills "
       "it, "
       "too\n"},
      {"    recognise: [pos_embed, smaller]\n", "    renames:\n      - {from: \"old.{leaf}\", to: \"{leaf}\"}\n",
       "\n  idle rule: plugins/table/keymap.yaml:7:9: old.{leaf} -> {leaf}\n"},
      {"    sources:\n", "      - {slot: \"{scale,used}\", key: pos_embed, by: \"chunk(2, 1)\"}\n",
       "\n  cannot be made: scale (plugins/table/keymap.yaml:10:9): chunk(2, 1): 2 does not divide dimension 1 of "
       "[1, 5, 2]\n"},
      {"    sources:\n", "      - {slot: scale, key: index, by: reshape(-1)}\n",
       "INVALID_ARGUMENT: plugins/table/keymap.yaml:10:9: an operation of `by` has no inverse; "},
      {"    missing:\n", "      - {key: \"{any}\", value: -1.5, reason: all}\n",
       "\n  cannot be made: used (plugins/table/keymap.yaml:7:9): bool does not hold the value -1.5\n"},
  };
  for (const auto& test : kCases) {
    Write("keymap.yaml", absl::StrReplaceAll(kKeyMap, {{test.where, test.where + test.rule}}));
    const ToolResult exported = Export();
    EXPECT_EQ(exported.exit_status, 1);
    EXPECT_THAT(exported.err, AllOf(HasSubstr(test.error), Not(HasSubstr("unexpected"))));
    const ToolResult converted = Run("convert", {"--model=table_3x3", "--checkpoint=c.safetensors", "--from=small",
                                                 "--layout=original", "--out=out.safetensors"});
    EXPECT_EQ(converted.exit_status, 1);
    EXPECT_THAT(converted.err, HasSubstr(test.error));
    EXPECT_EQ(Run("inspect", {"--model=table_3x3", "--checkpoint=c.safetensors"}).err, exported.err);
    EXPECT_THAT(FileNames(folder_), ElementsAre("c.safetensors", "plugins"));
  }
}

}  // namespace
}  // namespace modelport
