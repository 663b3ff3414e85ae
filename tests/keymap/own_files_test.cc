// Files that people hold of models of the catalog, and that are not the published ones. What wraps a model puts a
// prefix before its keys: it is found, said, and what begins otherwise is named; where two parts of a file fit,
// --prefix chooses. A model of another size has other arguments, which its keys and shapes tell.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string Original() { return DataPath("tests/checkpoints/" + ExampleModel("features") + ".safetensors"); }

// A tensor that a file is to have.
struct Written {
  SafetensorsTensor header;
  std::string bytes;
};

class PrefixesTest : public testing::Test {
 protected:
  // The tensors of the original file behind `prefix`; the last byte of each differs by `change`.
  std::vector<Written> Wrapped(const std::string& prefix, char change = 0) const {
    std::vector<Written> tensors;
    const auto file = OpenCheckpoint(Original());
    EXPECT_OK(file.status());
    if (!file.ok()) return tensors;
    for (const CheckpointTensor& tensor : file->state_dicts().front().tensors) {
      tensors.push_back({{prefix + tensor.key, tensor.dtype, tensor.shape}, RowMajorBytes(*file, tensor)});
      if (tensor.dtype == DType::kFloat32) tensors.back().bytes.back() ^= change;
    }
    return tensors;
  }

  // Writes wrapped.safetensors.
  void Write(std::vector<Written> tensors) const {
    std::sort(tensors.begin(), tensors.end(),
              [](const Written& a, const Written& b) { return ComesBefore(a.header, b.header); });
    std::vector<SafetensorsTensor> headers;
    std::string data;
    for (const Written& tensor : tensors) {
      headers.push_back(tensor.header);
      data += tensor.bytes;
    }
    std::ofstream(folder_ + "/wrapped.safetensors", std::ios::binary) << SafetensorsHeader(headers, {}) << data;
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> flags) const {
    flags.insert(flags.end(), {"--checkpoint=wrapped.safetensors", absl::StrCat("--plugin_path=", DataPath("models"))});
    return RunTool(tool, flags, folder_);
  }

  ToolResult Export(std::vector<std::string> flags = {}) const {
    flags.insert(flags.end(), {absl::StrCat("--model=", ExampleModel("features")), "--out=m.pt"});
    return Run("export", flags);
  }

  Json Checkpoint() const { return Json::parse(ReadFile(folder_ + "/m.manifest.json"))["weights"]["checkpoints"][0]; }

  const std::string folder_ = EmptyFolder("prefixes");
};

TEST_F(PrefixesTest, AnyPrefixIsFoundAndSaid) {
  const std::string prefixes[] = {"module.", "_orig_mod.", "module._orig_mod.", "model.", "net.encoder.", "backbone."};
  for (const std::string& prefix : prefixes) {
    Write(Wrapped(prefix));
    const ToolResult result = Export();
    ASSERT_EQ(result.exit_status, 0) << prefix << result.err;
    const std::string path = prefix.substr(0, prefix.size() - 1);
    EXPECT_THAT(result.out, HasSubstr("dictionary " + path)) << prefix;
    EXPECT_EQ(Checkpoint()["state_dict"], path);
    const ToolResult verified =
        RunTool("verify", {"m.pt", "--checkpoint=wrapped.safetensors", "--plugin_path=" + DataPath("models")}, folder_);
    EXPECT_EQ(verified.exit_status, 0) << prefix << verified.err;
  }
}

TEST_F(PrefixesTest, WhatBeginsOtherwiseIsNamed) {
  std::vector<Written> tensors = Wrapped("model.");
  tensors.push_back({{"criterion.weight", DType::kFloat32, {2}}, std::string(8, '\0')});
  tensors.push_back({{"criterion.bias", DType::kFloat32, {1}}, std::string(4, '\0')});
  Write(std::move(tensors));
  const ToolResult result = Export();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("criterion (2 tensors)"));
  EXPECT_EQ(Checkpoint()["left_out"][0]["path"], "criterion");
}

TEST_F(PrefixesTest, OfTwoPartsThatFitThePrefixChooses) {
  std::vector<Written> tensors = Wrapped("teacher.backbone.");
  for (Written& tensor : Wrapped("student.backbone.", 1)) tensors.push_back(std::move(tensor));
  Write(std::move(tensors));
  EXPECT_THAT(Export().err, AllOf(HasSubstr("two parts fit " + ExampleModel("features") + " and differ"),
                                  HasSubstr("--prefix=teacher.backbone. takes it"),
                                  HasSubstr("--prefix=student.backbone. takes it")));
  EXPECT_EQ(Export({"--prefix=teacher.backbone."}).exit_status, 0);
  EXPECT_EQ(Checkpoint()["state_dict"], "teacher.backbone");
  EXPECT_EQ(Checkpoint()["left_out"][0]["path"], "student");
  const ToolResult inspected = Run("inspect", {"--prefix=student.backbone"});
  EXPECT_THAT(inspected.out, HasSubstr(ExampleModel("features")));
  EXPECT_THAT(Export({"--prefix=nobody."}).err, HasSubstr("no dictionary \"nobody\" holds tensors"));
}

TEST_F(PrefixesTest, ConvertTakesThePart) {
  Write(Wrapped("model."));
  const ToolResult result = Run(
      "convert", {"--layout=transformers", "--out=t.safetensors", absl::StrCat("--model=", ExampleModel("features"))});
  EXPECT_EQ(result.exit_status, 0) << result.err;
}

TEST_F(PrefixesTest, ADTypeThatNoModelWantsRefusesItsTensorAlone) {
  std::vector<Written> tensors = Wrapped("");
  tensors.push_back({{"freqs_cis", DType::kComplex64, {4}}, std::string(32, '\0')});
  tensors.push_back({{"unused.scale", DType::kUInt16, {4}}, std::string(8, '\0')});
  Write(std::move(tensors));
  const ToolResult inspected = Run("inspect", {});
  EXPECT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out, AllOf(HasSubstr("complex64"), HasSubstr("uint16")));
  EXPECT_THAT(Export().err, AllOf(HasSubstr("2 unexpected"), HasSubstr("unexpected: freqs_cis [4]")));
}

// F4 is a dtype of the safetensors library that no reader of Modelport knows.
TEST_F(PrefixesTest, ADTypeThatIsNotKnownRefusesItsTensorAlone) {
  std::vector<Written> tensors = Wrapped("");
  tensors.push_back({{"unused.scale", DType::kUInt8, {4}}, std::string(4, '\0')});
  Write(std::move(tensors));
  std::string file = ReadFile(folder_ + "/wrapped.safetensors");
  const size_t dtype = file.find("\"U8\"");
  ASSERT_NE(dtype, std::string::npos);
  std::ofstream(folder_ + "/wrapped.safetensors", std::ios::binary) << file.replace(dtype, 4, "\"F4\"");
  const ToolResult inspected = Run("inspect", {});
  EXPECT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("a tensor of dtype F4"));
  EXPECT_THAT(Export().err, AllOf(HasSubstr("1 of a kind that is not read"), HasSubstr("unused.scale")));
}

// 0x38 is 1 in float8_e4m3fn.
TEST_F(PrefixesTest, Float8WithoutScalesIsRead) {
  std::vector<Written> tensors = Wrapped("");
  for (Written& tensor : tensors) {
    if (tensor.header.shape.size() != 2) continue;
    tensor.header.dtype = DType::kFloat8E4M3;
    tensor.bytes.assign(tensor.bytes.size() / sizeof(float), '\x38');
  }
  Write(tensors);
  const ToolResult exported = Export();
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr(" from float8_e4m3fn"));
  tensors.push_back({{"blocks.0.attn.qkv.weight_scale", DType::kFloat32, {}}, std::string(4, '\0')});
  Write(std::move(tensors));
  EXPECT_THAT(Export().err, HasSubstr("its weights are quantised: blocks.0.attn.qkv.weight_scale"));
}

// An artifact holds its weights under the paths of its modules.
TEST_F(PrefixesTest, TheWeightsOfAnArtifactAreRead) {
  Write(Wrapped(""));
  ASSERT_EQ(Export().exit_status, 0);
  const std::string plugins = absl::StrCat("--plugin_path=", DataPath("models"));
  const ToolResult converted =
      RunTool("convert", {"--checkpoint=m.pt", "--layout=original", "--out=back.safetensors", plugins}, folder_);
  ASSERT_EQ(converted.exit_status, 0) << converted.err;
  // All but the metadata, which an artifact does not keep.
  const auto original = OpenCheckpoint(folder_ + "/wrapped.safetensors"),
             back = OpenCheckpoint(folder_ + "/back.safetensors");
  ASSERT_OK(original);
  ASSERT_OK(back);
  const std::vector<CheckpointTensor>& tensors = original->state_dicts()[0].tensors;
  ASSERT_EQ(back->state_dicts()[0].tensors.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const CheckpointTensor& other = back->state_dicts()[0].tensors[i];
    EXPECT_EQ(other.key, tensors[i].key);
    EXPECT_TRUE(RowMajorBytes(*back, other) == RowMajorBytes(*original, tensors[i])) << other.key;
  }
  const ToolResult inspected = RunTool("inspect", {"--checkpoint=m.pt", plugins}, folder_);
  EXPECT_THAT(inspected.out, HasSubstr(": TorchScript, "));
}

// A file of one block fewer, trained on images of 3 x 3 patches.
class OwnArgumentsTest : public PrefixesTest {
 protected:
  void SetUp() override { Write(Own("")); }

  std::vector<Written> Own(const std::string& prefix, char change = 0) const {
    std::vector<Written> tensors = Wrapped(prefix, change);
    std::erase_if(tensors, [&](const Written& tensor) {
      return absl::StartsWith(tensor.header.key, absl::StrCat(prefix, "blocks.3."));
    });
    for (Written& tensor : tensors) {
      if (tensor.header.key != prefix + "pos_embed") continue;
      tensor.header.shape = {1, 10, tensor.header.shape[2]};
      tensor.bytes.resize(10 * tensor.header.shape[2] * sizeof(float));
    }
    return tensors;
  }

  const std::string model_ = ExampleModel("features");
};

TEST_F(OwnArgumentsTest, TheyAreFoundSaidStatedAndVerified) {
  const ToolResult exported = Run("export", {});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr(absl::StrCat("recognised ", model_, ", with the arguments depth=3,grid=3, which ",
                                                   "its keys and shapes tell\nassumed, for these do not tell: ")));
  EXPECT_THAT(exported.err, HasSubstr(",heads=2,"));
  const Json manifest = Json::parse(ReadFile(folder_ + "/wrapped.manifest.json"));
  EXPECT_EQ(manifest["request"]["arguments"],
            Json::parse(R"json([{"name": "depth", "value": "3"}, {"name": "grid", "value": "3"}])json"));
  EXPECT_EQ(manifest["request"]["model"], model_);
  std::map<std::string, Json> origins;
  for (const Json& argument : manifest["weights"]["arguments"]) origins[argument["name"]] = argument["origin"];
  EXPECT_EQ(origins["depth"], "read");
  EXPECT_EQ(origins["heads"], "assumed");
  EXPECT_THAT(exported.out, HasSubstr("heads=2"));
  const ToolResult verified = Run("verify", {"--artifact=wrapped.pt"});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
}

// Among the built-in plugins, whose heads have 64 channels.
TEST_F(OwnArgumentsTest, WhatFollowsFromNothingIsAskedFor) {
  const auto run = [&](const std::string& tool, std::vector<std::string> flags) {
    flags.push_back("--checkpoint=wrapped.safetensors");
    return RunTool(tool, flags, folder_);
  };
  const ToolResult refused = run("export", {});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err,
              testing::ContainsRegex("wrapped.safetensors: fits [^\n]* with the arguments [^\n]*, which do not tell "
                                     "heads\n  as in the code that trained the model: --set=heads=HEADS\n"));
  const ToolResult inspected = run("inspect", {});
  EXPECT_THAT(inspected.out, AllOf(HasSubstr("to be given, for these do not tell: heads\n"),
                                   HasSubstr("--checkpoint=wrapped.safetensors --set=heads=HEADS\n")));
  const ToolResult exported = run("export", {"--set=heads=2", "--out=m.pt"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("heads=2"));
  const ToolResult verified = run("verify", {"--artifact=m.pt"});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
}

TEST_F(OwnArgumentsTest, TheSearchCanBeOfOneFamily) {
  const std::string family = model_.substr(model_.find('_') + 1) + "_tiny";
  const ToolResult exported = Run("export", {"--family=" + family});
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("recognised " + model_));
  const ToolResult inspected = Run("inspect", {"--family=" + family});
  EXPECT_THAT(inspected.out, HasSubstr("fits " + model_));
  EXPECT_THAT(Run("export", {"--family=nobody"}).err, HasSubstr("unknown family \"nobody\"; known: "));
  for (const char* tool : {"export", "inspect"}) {
    EXPECT_THAT(Run(tool, {"--family=" + family, "--model=" + model_}).err,
                HasSubstr("--family and --model do not go together: a model has its family"));
  }
}

TEST_F(OwnArgumentsTest, OfTwoPartsThatFitNothingElseIsNamed) {
  std::vector<Written> tensors = Own("student.");
  for (Written& tensor : Own("teacher.", 1)) tensors.push_back(std::move(tensor));
  Write(std::move(tensors));
  EXPECT_THAT(Export({"--set=depth=3,grid=3"}).err,
              AllOf(HasSubstr("two parts fit"), testing::Not(HasSubstr("it fits with other arguments"))));
}

// Beside other keys a part is taken unless the file is another model, which it is not with its own arguments.
TEST_F(OwnArgumentsTest, BehindAPrefixBesideOtherKeysTheyAreTakenToo) {
  std::vector<Written> tensors = Own("model.");
  for (Written& tensor : Own("criterion.", 1)) {
    tensors.push_back(std::move(tensor));
    break;
  }
  Write(std::move(tensors));
  const ToolResult recognised = Run("export", {"--out=a.pt"});
  EXPECT_EQ(recognised.exit_status, 0) << recognised.err;
  const ToolResult given = Export({"--set=depth=3,grid=3"});
  EXPECT_EQ(given.exit_status, 0) << given.err;
}

TEST_F(OwnArgumentsTest, WithAModelTheErrorNamesTheFlagThatGivesThem) {
  const ToolResult refused = Export();
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr(absl::StrCat("\n  it fits with other arguments:\n  --model=", model_,
                                                  " --set=depth=3,grid=3\n")));
  const ToolResult exported = Export({"--set=depth=3,grid=3"});
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  std::filesystem::create_directory(folder_ + "/other");
  ASSERT_EQ(Run("export", {"--out=other/m.pt"}).exit_status, 0);
  EXPECT_TRUE(ReadFile(folder_ + "/m.pt") == ReadFile(folder_ + "/other/m.pt"));
}

// A table of positions of 3 x 3 patches for a model of another size, whose other arguments are the file's.
TEST_F(OwnArgumentsTest, ATableOfAnotherSizeIsResampledOnRequest) {
  EXPECT_THAT(Export({"--set=depth=3"}).err,
              AllOf(HasSubstr("wrong shape: pos_embed"), HasSubstr("export --resample makes")));
  const ToolResult exported = Export({"--set=depth=3", "--resample"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("pos_embed"));
  EXPECT_EQ(Checkpoint()["resampled"], true);
  const Json manifest = Json::parse(ReadFile(folder_ + "/m.manifest.json"));
  EXPECT_EQ(manifest["request"]["arguments"], Json::parse(R"json([{"name": "depth", "value": "3"}])json"));
  EXPECT_THAT(manifest["weights"]["changed"].dump(),
              AllOf(HasSubstr("resample_antialias(1, 1, "), HasSubstr("--resample: ")));
  const ToolResult verified = Run("verify", {"--artifact=m.pt"});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
}

TEST_F(OwnArgumentsTest, WithoutAModelItIsResampledToTheCatalogsSize) {
  const ToolResult exported = Run("export", {"--resample", "--out=m.pt"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("with the arguments depth=3, which"));
  EXPECT_EQ(Checkpoint()["resampled"], true);
}

TEST_F(OwnArgumentsTest, InspectNamesThem) {
  const ToolResult result = Run("inspect", {});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("\nfits no model of the catalog as it is there\n"),
                                HasSubstr(absl::StrCat("\nfits ", model_, " with the arguments depth=3,grid=3, which")),
                                HasSubstr("next: ")));
  // What was given for the search is given again.
  const ToolResult with_layout = Run("inspect", {"--layout=original"});
  EXPECT_THAT(with_layout.out, AllOf(HasSubstr("next: "), HasSubstr(" --layout=original --plugin_path=")));
}

TEST_F(OwnArgumentsTest, ConvertTakesThemThereAndBack) {
  const std::vector<std::string> there = {"--layout=transformers", "--out=there.safetensors"};
  ASSERT_EQ(Run("convert", there).exit_status, 0);
  const std::string plugins = absl::StrCat("--plugin_path=", DataPath("models"));
  const ToolResult back = RunTool(
      "convert", {"--checkpoint=there.safetensors", "--layout=original", "--out=back.safetensors", plugins}, folder_);
  ASSERT_EQ(back.exit_status, 0) << back.err;
  EXPECT_TRUE(ReadFile(folder_ + "/back.safetensors") == ReadFile(folder_ + "/wrapped.safetensors"));
}

// The artifact never takes the place of its weights.
TEST_F(OwnArgumentsTest, ACheckpointThatIsCalledAsTheArtifactWouldBeStays) {
  std::filesystem::rename(folder_ + "/wrapped.safetensors", folder_ + "/own.pt");
  const std::string before = ReadFile(folder_ + "/own.pt");
  const ToolResult exported =
      RunTool("export", {"--checkpoint=own.pt", absl::StrCat("--plugin_path=", DataPath("models"))}, folder_);
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_TRUE(ReadFile(folder_ + "/own.pt") == before);
  EXPECT_TRUE(std::filesystem::exists(absl::StrCat(folder_, "/own_", model_, ".pt")));
}

}  // namespace
}  // namespace modelport
