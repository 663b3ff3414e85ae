// The tool `diff` on checkpoints of several layouts and on artifacts.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/table_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"
#include "tests/support/toy_plugin.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string RegistersModel() { return ExampleModel("features with registers"); }
std::string SmallModel() { return ExampleModel("small files with registers"); }

class DiffTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = EmptyFolder("diff"); }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments) const {
    arguments.push_back(ExamplePlugins({"small files"}) + "," + DataPath("models"));
    return RunTool(tool, arguments, folder_);
  }

  ToolResult Diff(const std::string& a, const std::string& b, const std::vector<std::string>& flags = {}) const {
    std::vector<std::string> arguments = {a, b};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return Run("diff", arguments);
  }

  // The artifact `out` of a checkpoint.
  void Export(const std::string& model, const std::string& checkpoint, const std::string& out,
              const std::vector<std::string>& flags = {}) const {
    std::vector<std::string> arguments = {"--model=" + model, "--checkpoint=" + checkpoint, "--out=" + out,
                                          "--noverify"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ToolResult result = Run("export", arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  std::string folder_;
};

std::string File(const std::string& name) { return DataPath("tests/checkpoints/" + name); }

TEST_F(DiffTest, TheSameWeightsInEveryLayoutAndFormatAreEqual) {
  for (const std::string layout : {"transformers", "transformers_v5_internal"}) {
    for (const std::string& model : {ExampleModel("features of gated blocks"), DepthModel()}) {
      const ToolResult result = Diff(File(model + ".safetensors"), LayoutFile(layout, model));
      EXPECT_EQ(result.exit_status, 0) << layout << " " << result.out << result.err;
      EXPECT_THAT(result.err, IsEmpty());
      EXPECT_THAT(result.out, AllOf(HasSubstr("layout original\n"), HasSubstr("layout " + layout + "\n"),
                                    HasSubstr("blocks.{0..3}.attn.qkv.weight: equal\n"), HasSubstr(" equal\n\n"),
                                    Not(HasSubstr("settings"))));
    }
  }
}

TEST_F(DiffTest, ValuesThatDifferAreMeasured) {
  const ToolResult result = Diff(File(RegistersModel() + ".safetensors"), LayoutFile("timm", RegistersModel()));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr(RegistersModel() + ".safetensors: differs from "),
                    HasSubstr(" in 3 of 64 tensors\n")));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("\n  cls_token: max "), HasSubstr("\n  pos_embed: max "),
                    HasSubstr("\n  mask_token: only in A: float32 [1, 24]\n"), HasSubstr("register_tokens: equal\n"),
                    HasSubstr("\n64 tensors: 61 equal, 2 of other values, 1 only in A\n")));
}

TEST_F(DiffTest, DTypesAndShapesThatDifferAreNamed) {
  const std::string good = TableFile(SmallModel() + ".pth");
  const ToolResult dtypes = Diff(good, TableFile("fp16.safetensors"));
  EXPECT_EQ(dtypes.exit_status, 1);
  EXPECT_THAT(dtypes.out, HasSubstr("blocks.{0..1}.weight: float32 and float16: max "));
  const ToolResult shapes = Diff(good, TableFile("wrong_shape.pth"));
  EXPECT_EQ(shapes.exit_status, 1);
  EXPECT_THAT(shapes.out, AllOf(HasSubstr("compared by key, because no model of the catalog fits both\n"),
                                HasSubstr("(its keys fit " + SmallModel() + ")\n"), HasSubstr(" 1 of other shape")));
}

TEST_F(DiffTest, SettingsThatDifferComeFirst) {
  const ToolResult result = Diff(File(ExampleModel("features") + ".pth"), File(RegistersModel() + ".safetensors"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("\nsettings\n"), HasSubstr("argument "), HasSubstr("A: "),
                                HasSubstr("\n  register_tokens: only in B: ")));
  EXPECT_LT(result.out.find("settings"), result.out.find("tensors\n"));
}

// Relative and metric models have equal keys: a side takes the model of the other one.
TEST_F(DiffTest, AModelThatBothMayBeOfIsTaken) {
  Export(ExampleModel("depth in metres"), File(DepthModel() + ".safetensors"), "metric.pt");
  const ToolResult result = Diff(File(DepthModel() + ".safetensors"), "metric.pt");
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(ExampleModel("depth in metres") + " (its keys also fit " + DepthModel() +
                                    "), layout original\n"));
  EXPECT_THAT(Diff(File(DepthModel() + ".safetensors"), "metric.pt", {"--model=" + DepthModel()}).out,
              HasSubstr("\nsettings\n"));
}

TEST_F(DiffTest, ArtifactsAreCompared) {
  Export(RegistersModel(), File(RegistersModel() + ".safetensors"), "a.pt");
  Export(RegistersModel(), LayoutFile("transformers", RegistersModel()), "b.pt");
  Export(RegistersModel(), File(RegistersModel() + ".safetensors"), "half.pt", {"--dtype=float16"});
  EXPECT_EQ(Diff("a.pt", "b.pt").exit_status, 0);
  EXPECT_EQ(Diff("a.pt", File(RegistersModel() + ".safetensors")).exit_status, 0);
  const ToolResult half = Diff("a.pt", "half.pt");
  EXPECT_EQ(half.exit_status, 1);
  EXPECT_THAT(half.out, AllOf(HasSubstr("artifact dtype"), HasSubstr("A: float32"), HasSubstr("B: float16")));
}

TEST_F(DiffTest, WhatAnOnnxFileWasAskedForIsASetting) {
  const std::string checkpoint = File(RegistersModel() + ".safetensors");
  Export(RegistersModel(), checkpoint, "a.onnx", {"--target=onnx"});
  Export(RegistersModel(), checkpoint, "b.onnx", {"--target=onnx", "--opset=18", "--name=other"});
  const ToolResult result = Diff("a.onnx", "b.onnx");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("artifact opset"), HasSubstr("A: 17"), HasSubstr("B: 18"),
                                HasSubstr("artifact name"), HasSubstr("B: other")));
}

TEST_F(DiffTest, AnArgumentThatAnArtifactWasMadeWithIsASetting) {
  const std::string checkpoint = File(DepthModel() + ".safetensors");
  Export(ExampleModel("depth in metres"), checkpoint, "a.pt");
  Export(ExampleModel("depth in metres"), checkpoint, "b.pt", {"--set=max_depth=80"});
  const ToolResult result = Diff("a.pt", "b.pt");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("argument max_depth"), HasSubstr("A: 20"), HasSubstr("B: 80"),
                                HasSubstr("127 tensors: 127 equal\n")));
}

TEST_F(DiffTest, AnArtifactInAWrapperHasTheTensorsOfItsModel) {
  Export(DepthModel(), File(DepthModel() + ".safetensors"), "a.pt");
  Export(DepthModel(), File(DepthModel() + ".safetensors"), "nuke.pt", {"--target=nuke"});
  EXPECT_EQ(Diff(File(DepthModel() + ".safetensors"), "nuke.pt").exit_status, 0);
  const ToolResult result = Diff("a.pt", "nuke.pt");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("artifact target"), HasSubstr("B: nuke"), HasSubstr("artifact knob "),
                                HasSubstr("127 tensors: 127 equal\n")));
}

// Of equal shapes only the names tell which is which.
TEST_F(DiffTest, AnArtifactOfAnotherTextIsReadByTheNamesOfItsTensors) {
  std::ofstream(folder_ + "/ck.safetensors", std::ios::binary) << ToyFile({"a", "b"});
  const auto write = [](const std::string& folder, const std::string& parameters) {
    return WriteToyPlugin(EmptyFolder(folder) + "/toy", "  original: {recognise: [a]}\n", parameters);
  };
  const std::string then = write("then", "a: [2], b: [2]"), now = write("now", "b: [2], a: [2]");
  const std::string more = write("more", "a: [2], b: [2], r: [2]");
  const ToolResult exported =
      RunTool("export", {"--model=toy", "--checkpoint=ck.safetensors", "--out=m.pt", "--noverify", then}, folder_);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const ToolResult swapped = RunTool("diff", {"m.pt", "ck.safetensors", now}, folder_);
  EXPECT_EQ(swapped.exit_status, 0) << swapped.out << swapped.err;
  const ToolResult larger = RunTool("diff", {"m.pt", "m.pt", more}, folder_);
  EXPECT_THAT(larger.err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("missing: r")));
}

TEST_F(DiffTest, DamagedArtifactsAreRefused) {
  Export(RegistersModel(), File(RegistersModel() + ".safetensors"), "a.pt");
  std::string bytes = ReadFile(folder_ + "/a.pt");
  const std::string wanted = ReadFile(File(RegistersModel() + ".safetensors"));
  // A byte of the last tensor, so that its CRC-32 differs.
  const size_t place = bytes.find(wanted.substr(wanted.size() - 64));
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  std::ofstream(folder_ + "/flipped.pt", std::ios::binary) << bytes;
  EXPECT_THAT(Diff("a.pt", "flipped.pt").err, AllOf(StartsWith("DATA_LOSS: "), HasSubstr("flipped.pt")));
  std::ofstream(folder_ + "/short.pt", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_EQ(Diff("a.pt", "short.pt").exit_status, 1);
  EXPECT_THAT(Diff("a.pt", "short.pt").err, HasSubstr("short.pt"));
}

TEST_F(DiffTest, JsonListsEveryTensor) {
  const ToolResult result =
      Diff(File(RegistersModel() + ".safetensors"), LayoutFile("timm", RegistersModel()), {"--json"});
  EXPECT_EQ(result.exit_status, 1);
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_FALSE(json["equal"].get<bool>());
  EXPECT_EQ(json["b"]["layout"], "timm");
  EXPECT_EQ(json["tensors"].size(), 64);
  for (const auto& tensor : json["tensors"]) {
    if (tensor["name"] == "mask_token") {
      EXPECT_EQ(tensor["result"], "only in A");
      EXPECT_TRUE(tensor["b"].is_null());
    } else if (tensor["name"] == "cls_token") {
      EXPECT_EQ(tensor["elements"], 24);
      EXPECT_GT(tensor["max_abs"].get<double>(), 0);
      EXPECT_LT(tensor["cosine"].get<double>(), 1);
    } else if (tensor["name"] != "pos_embed") {
      EXPECT_EQ(tensor["result"], "equal") << tensor["name"];
    }
  }
}

TEST_F(DiffTest, DictionariesAreChosenByName) {
  const std::string file = TableFile("teacher_student_module_backbone.pth");
  const ToolResult result = Diff(file, file, {"--state_dict=teacher,student"});
  EXPECT_THAT(result.out, AllOf(HasSubstr("dictionary teacher"), HasSubstr("dictionary student")));
  EXPECT_THAT(Diff(file, file, {"--state_dict=techer"}).err, HasSubstr("no dictionary \"techer\""));
  EXPECT_EQ(Diff(file, file, {"--state_dict=teacher"}).exit_status, 0);
}

// A file with two models of one kind is refused by that model, which is said.
TEST_F(DiffTest, WhyFilesAreComparedByKeyIsSaid) {
  std::ofstream(folder_ + "/two.safetensors", std::ios::binary) << ToyFile({"s.a", "s.b", "t.a", "t.b"});
  const std::string toy = WriteToyPlugin(EmptyFolder("two") + "/toy");
  const ToolResult result = RunTool("diff", {"two.safetensors", "two.safetensors", toy}, folder_);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("compared by key, because "), HasSubstr("two parts fit toy and differ\n"),
                                HasSubstr("--prefix=s. takes it\n"), HasSubstr("--prefix=t. takes it\n")));
  for (const char* parts : {"--prefix=s.,t.", "--state_dict=s,t"}) {
    const ToolResult chosen = RunTool("diff", {"two.safetensors", "two.safetensors", toy, parts}, folder_);
    EXPECT_EQ(chosen.exit_status, 1) << parts;
    EXPECT_THAT(chosen.out, Not(HasSubstr("by key"))) << parts;
  }
}

TEST_F(DiffTest, ALayoutIsChosenByName) {
  const std::string original = File(RegistersModel() + ".safetensors");
  EXPECT_THAT(Diff(original, original, {"--layout=original"}).out, HasSubstr("layout original"));
  EXPECT_THAT(Diff(original, original, {"--layout=tim"}).err,
              StartsWith("INVALID_ARGUMENT: --layout=tim: no family has this layout; nearest: "));
  EXPECT_THAT(Diff(original, original, {"--layout=timm"}).err,
              AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("fits no model of the catalog in a layout timm")));
}

TEST_F(DiffTest, WhatAnArtifactDoesNotTakeIsAnError) {
  const std::string checkpoint = File(RegistersModel() + ".safetensors");
  Export(RegistersModel(), checkpoint, "a.pt");
  for (const std::string& flag : {std::string("--state_dict=teacher"), std::string("--prefix=teacher"),
                                  std::string("--layout=original"), "--model=" + DepthModel()}) {
    EXPECT_THAT(Diff("a.pt", "a.pt", {flag}).err, StartsWith("INVALID_ARGUMENT: --model, --state_dict, --prefix and"));
  }
  // A checkpoint beside it takes them.
  EXPECT_EQ(Diff("a.pt", checkpoint, {"--layout=original"}).exit_status, 0);
}

TEST_F(DiffTest, FilesThatAreNoCheckpointsAreErrors) {
  const std::string good = TableFile(SmallModel() + ".pth");
  EXPECT_THAT(Diff(good, TableFile("html_page.pth")).err,
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("a web page")));
  EXPECT_THAT(Diff("absent.pth", good).err, StartsWith("NOT_FOUND: "));
  EXPECT_THAT(Diff(good, TableFile("flipped_payload.pth")).err, StartsWith("DATA_LOSS: "));
  EXPECT_THAT(Diff(good, good, {"--model=tiny"}).err, StartsWith("NOT_FOUND: unknown model \"tiny\""));
  EXPECT_THAT(Run("diff", {good}).err, StartsWith("INVALID_ARGUMENT: wants two files, has 1"));
  EXPECT_THAT(FileNames(folder_), IsEmpty());
}

}  // namespace
}  // namespace modelport
