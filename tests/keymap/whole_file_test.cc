// One file of a backbone and its head, as transformers publishes classifiers, fills a model that two files fill, too.
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/digest/sha256.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string TwoFilesModel() { return ExampleModel("two files"); }

std::string Backbone() { return LayoutFile("transformers", ExampleModel("features")); }
std::string Head() {
  return DataPath("tests/checkpoints/parts/" + ExampleModel("features") + "_linear_head.safetensors");
}

// Adds the tensors of a safetensors file, with `prefix` before their keys.
void Add(const std::string& path, const std::string& prefix, Json* header, std::string* data) {
  const std::string file = ReadFile(path);
  uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = size << 8 | static_cast<uint8_t>(file[i]);
  const Json added = Json::parse(file.substr(8, size));
  for (const auto& [key, tensor] : added.items()) {
    if (key == "__metadata__") continue;
    Json& entry = (*header)[prefix + key] = tensor;
    for (Json& offset : entry["data_offsets"]) offset = offset.get<size_t>() + data->size();
  }
  *data += file.substr(8 + size);
}

class WholeFileTest : public testing::Test {
 protected:
  // hub.safetensors, as Dinov2ForImageClassification is saved, with the tensors of the two files.
  void SetUp() override {
    Json header;
    header["__metadata__"]["format"] = "pt";
    std::string data;
    Add(Backbone(), ExampleFamily("features") + ".", &header, &data);
    Add(Head(), "classifier.", &header, &data);
    Write(header, data);
  }

  void Write(const Json& header, const std::string& data) const {
    std::ofstream(folder_ + "/hub.safetensors", std::ios::binary) << SafetensorsFile(header.dump(), data);
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments) const {
    arguments.push_back("--plugin_path=" + DataPath("models"));
    return RunTool(tool, arguments, folder_);
  }

  ToolResult Convert(const std::string& from, const std::string& layout, const std::string& to) const {
    return Run("convert", {"--checkpoint=" + from, "--layout=" + layout, "--out=" + to});
  }

  // The bytes of the artifact's tensors.
  std::vector<std::string> Tensors(const std::string& artifact) const {
    std::vector<std::string> tensors;
    for (const auto& [name, content] : ReadRecords(folder_ + "/" + artifact)) {
      if (absl::StartsWith(name, "data/")) tensors.push_back(content);
    }
    return tensors;
  }

  const std::string folder_ = EmptyFolder("whole_file");
};

TEST_F(WholeFileTest, InspectNamesTheModelAndMapsTheFile) {
  const ToolResult any = Run("inspect", {"--checkpoint=hub.safetensors"});
  EXPECT_EQ(any.exit_status, 0) << any.err;
  EXPECT_THAT(any.out, AllOf(HasSubstr("fits " + TwoFilesModel() + "\n"),
                             HasSubstr("layout transformers, which has keys like")));
  const ToolResult model = Run("inspect", {"--checkpoint=hub.safetensors", "--model=" + TwoFilesModel()});
  EXPECT_EQ(model.exit_status, 0) << model.err;
  EXPECT_THAT(model.out, AllOf(HasSubstr("fits " + TwoFilesModel() + ": layout transformers, 65 of 65 slots filled\n"),
                               HasSubstr(" <- concatenate(0) " + ExampleFamily("features") +
                                         ".encoder.layer.{0..3}.attention.attention.{query,key,value}.weight "),
                               HasSubstr("  linear_head.weight                       <- classifier.weight ")));
}

TEST_F(WholeFileTest, InspectReadsTheLayoutThatTheUserNames) {
  const ToolResult fits = Run("inspect", {"--checkpoint=hub.safetensors", "--layout=transformers"});
  EXPECT_THAT(fits.out, HasSubstr("fits " + TwoFilesModel() + " in layout transformers\n"));
  const ToolResult other = Run("inspect", {"--checkpoint=hub.safetensors", "--layout=timm"});
  EXPECT_EQ(other.exit_status, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("fits no model of the catalog in layout timm\n"));
  const ToolResult unknown = Run("inspect", {"--checkpoint=hub.safetensors", "--layout=transformer"});
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_THAT(unknown.err, StartsWith("INVALID_ARGUMENT: --layout=transformer: no family has this layout; nearest: "
                                      "transformers, "));
}

TEST_F(WholeFileTest, ItExportsAsTheTwoFilesDoAndVerifies) {
  const ToolResult whole = Run("export", {"--checkpoint=hub.safetensors", "--out=whole.pt"});
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("recognised " + TwoFilesModel() + ", the only model that fits\n"));
  const ToolResult parts =
      Run("export", {"--model=" + TwoFilesModel(), "--checkpoint=" + Backbone() + "," + Head(), "--out=parts.pt"});
  ASSERT_EQ(parts.exit_status, 0) << parts.err;
  EXPECT_EQ(Tensors("whole.pt").size(), 65);
  EXPECT_TRUE(Tensors("whole.pt") == Tensors("parts.pt"));
  const Json checkpoints = Json::parse(ReadFile(folder_ + "/whole.manifest.json"))["weights"]["checkpoints"];
  ASSERT_EQ(checkpoints.size(), 1);
  EXPECT_EQ(checkpoints[0]["source"], absl::StrCat("sha256:", Sha256Of(ReadFile(folder_ + "/hub.safetensors"))));
  EXPECT_EQ(checkpoints[0]["layout"], "transformers");
  EXPECT_EQ(checkpoints[0]["part"], "");
  for (const std::string checkpoint : {"", "--checkpoint=hub.safetensors"}) {
    std::vector<std::string> arguments = {"--artifact=whole.pt"};
    if (!checkpoint.empty()) arguments.push_back(checkpoint);
    const ToolResult verified = Run("verify", arguments);
    EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
  }
  const ToolResult diff = Run("diff", {"whole.pt", "hub.safetensors"});
  EXPECT_EQ(diff.exit_status, 0) << diff.out << diff.err;
}

TEST_F(WholeFileTest, ConvertTakesItThereAndBack) {
  ASSERT_EQ(Convert("hub.safetensors", "original", "saved.safetensors").exit_status, 0);
  const ToolResult diff = Run("diff", {"hub.safetensors", "saved.safetensors"});
  EXPECT_EQ(diff.exit_status, 0) << diff.out << diff.err;
  ASSERT_EQ(Convert("saved.safetensors", "transformers", "back.safetensors").exit_status, 0);
  ASSERT_EQ(Convert("hub.safetensors", "transformers", "again.safetensors").exit_status, 0);
  EXPECT_TRUE(ReadFile(folder_ + "/back.safetensors") == ReadFile(folder_ + "/again.safetensors"));
}

// Files of models with registers name the backbone otherwise.
TEST_F(WholeFileTest, ALayoutOfOtherModelsIsNotWritten) {
  const ToolResult result = Convert("hub.safetensors", "transformers_with_registers", "out.safetensors");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("INVALID_ARGUMENT: "),
                                HasSubstr("layout transformers_with_registers is of models with "
                                          "backbone.num_register_tokens 4, and this one has 0\n")));
  EXPECT_THAT(FileNames(folder_), ElementsAre("hub.safetensors"));
}

TEST_F(WholeFileTest, WhatItLacksIsNamedByItsOwnKeys) {
  Json header;
  std::string data;
  Add(Backbone(), ExampleFamily("features") + ".", &header, &data);
  Add(Head(), "classifier.", &header, &data);
  header["classifier.bases"] = header["classifier.bias"];
  header.erase("classifier.bias");
  Write(header, data);
  const ToolResult result = Run("export", {"--model=" + TwoFilesModel(), "--checkpoint=hub.safetensors", "--out=m.pt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(StartsWith("FAILED_PRECONDITION: "),
                    HasSubstr("hub.safetensors: does not fit " + TwoFilesModel() +
                              " (layout transformers): 1 of 65 keys "
                              "missing, 1 unexpected\n"),
                    HasSubstr("missing: linear_head.bias [10] is made of classifier.bias; nearest in the file: "
                              "classifier.bases\n"),
                    HasSubstr("unexpected: classifier.bases [10]")));
  EXPECT_THAT(FileNames(folder_), ElementsAre("hub.safetensors"));
}

}  // namespace
}  // namespace modelport
