// Checkpoints that hold more than one model's state dict: what an export takes, what it leaves out, and how to choose.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/io/byte_reader.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string RegistersModel() { return ExampleModel("features with registers"); }

std::string Key(const std::string& name) { return PickleString(name); }

class LeftOutTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<Checkpoint> published = OpenCheckpoint("tests/checkpoints/" + RegistersModel() + ".safetensors");
    ASSERT_OK(published);
    published_.emplace(*std::move(published));
  }

  // A tensor with a storage of its own.
  std::string Tensor(const std::string& type, const Shape& shape, const std::string& bytes) {
    const int64_t elements = *ElementCount(shape);
    const std::string key = absl::StrCat(storages_.size());
    storages_.push_back({key, elements, bytes});
    const std::vector<int64_t> strides = RowMajorStrides(shape);
    return PickleTensor(PickleStorage(type, key, elements), 0, {shape.begin(), shape.end()},
                        {strides.begin(), strides.end()});
  }

  std::string Scalar() { return Tensor("FloatStorage", {1}, std::string(4, '\0')); }

  // The published state dict in storages of its own.
  std::string Weights() {
    Entries entries;
    for (const CheckpointTensor& tensor : published_->state_dicts()[0].tensors) {
      entries.emplace_back(Key(tensor.key), Tensor("FloatStorage", tensor.shape, RowMajorBytes(*published_, tensor)));
    }
    return PickleDict(entries);
  }

  // The same in float64, with one value that float32 cannot hold and one that it holds as a subnormal number.
  std::string DoubleWeights() {
    Entries entries;
    for (const CheckpointTensor& tensor : published_->state_dicts()[0].tensors) {
      std::vector<double> values(*ElementCount(tensor.shape), 0.5);
      if (tensor.key == "pos_embed") values[0] = 1e-60, values[1] = -1e-40;
      entries.emplace_back(Key(tensor.key), Tensor("DoubleStorage", tensor.shape, LittleEndian(values)));
    }
    return PickleDict(entries);
  }

  void Write(const std::string& object) {
    std::ofstream(folder_ + "/c.pth", std::ios::binary) << TorchZipFile(object, storages_);
    storages_.clear();
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments) {
    arguments.push_back("--checkpoint=c.pth");
    arguments.push_back("--plugin_path=" + DataPath("models"));
    return RunTool(tool, arguments, folder_);
  }

  ToolResult Export(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--model=" + RegistersModel(), "--out=m.pt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run("export", arguments);
  }

  std::string ManifestText() { return ReadFile(folder_ + "/m.manifest.json"); }

  const std::string folder_ = EmptyFolder("left_out");
  absl::optional<Checkpoint> published_;
  std::vector<StorageData> storages_;
};

TEST_F(LeftOutTest, WhatIsNotTakenIsListedEverywhere) {
  const std::string adam =
      PickleDict({{PickleInt(0), PickleDict({{Key("exp_avg"), Scalar()}, {Key("step"), Scalar()}})},
                  {PickleInt(1), PickleDict({{Key("exp_avg"), Scalar()}})}});
  const std::string args =
      PickleCall(PickleGlobal("argparse", "Namespace"), {}) + PickleDict({{Key("mean"), Scalar()}}) + "b";
  const std::string teacher = Weights(), student = Weights(), lora = PickleDict({{Key("a"), Scalar()}});
  Write(PickleDict({{Key("teacher"), teacher},
                    {Key("student"), student},
                    {Key("lora"), lora},
                    {Key("optimizer"), PickleDict({{Key("state"), adam}})},
                    {Key("args"), args},
                    {Key("buffers"), PickleList({Scalar(), Scalar()})},
                    {Key("scale"), Scalar()}}));
  const std::string left_out =
      "left out: the file's root (1 tensor), student (64 tensors), lora (1 tensor), optimizer (3 tensors), "
      "buffers (2 tensors), +1 more\n";
  const ToolResult result = Export();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("state dict  dictionary teacher; " + left_out));
  EXPECT_THAT(ManifestText(), HasSubstr(R"("state_dict": "teacher")"));
  for (const char* part : {R"("path": "",
      "tensors": 1,
      "elements": 1)",
                           R"("path": "student",
      "tensors": 64)",
                           R"("path": "lora",
      "tensors": 1)",
                           R"("path": "optimizer",
      "tensors": 3)",
                           R"("path": "buffers",
      "tensors": 2)",
                           R"("path": "args",
      "tensors": 1)"}) {
    EXPECT_THAT(ManifestText(), HasSubstr(part));
  }
  EXPECT_EQ(Run("verify", {"--artifact=m.pt"}).exit_status, 0);

  const ToolResult inspected = Run("inspect", {"--model=" + RegistersModel()});
  EXPECT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out,
              AllOf(HasSubstr("\n  buffers is a list: 2 tensors, 2 elements\n"),
                    HasSubstr("\n  args is an object of class argparse.Namespace: 1 tensor, 1 elements\n"),
                    HasSubstr("\n  " + left_out)));
}

TEST_F(LeftOutTest, TwoDictionariesThatFitAreRefusedUntilOneIsChosen) {
  const std::string model = Weights(), state_dict = Weights();
  Write(PickleDict({{Key("model"), model}, {Key("state_dict"), state_dict}}));
  const ToolResult refused = Export();
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_EQ(refused.err, "FAILED_PRECONDITION: c.pth: two dictionaries fit " + RegistersModel() +
                             " and differ\n"
                             "  dictionary model: 64 tensors; --state_dict=model takes it\n"
                             "  dictionary state_dict: 64 tensors; --state_dict=state_dict takes it\n");
  EXPECT_EQ(Run("inspect", {"--model=" + RegistersModel()}).exit_status, 1);

  const ToolResult result = Export({"--state_dict=state_dict"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("state dict  dictionary state_dict; left out: model (64 tensors)\n"));
  const ToolResult verified = Run("verify", {"--artifact=m.pt"});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  const ToolResult inspected = Run("inspect", {"--model=" + RegistersModel(), "--state_dict=model"});
  EXPECT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out,
              HasSubstr("state dict \"model\", 64 of 64 slots filled\n  left out: state_dict (64 tensors)"));
}

TEST_F(LeftOutTest, OneDictionaryUnderTwoNamesIsOne) {
  Write(PickleDict({{Key("ema"), Weights() + "q\1"}, {Key("model"), "h\1"}, {Key("state_dict"), "h\1"}}));
  const ToolResult result = Export();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("state dict  dictionary ema\n"));
  EXPECT_THAT(Run("inspect", {}).out, HasSubstr("state dict \"ema\", also model, state_dict: 64 tensors"));
}

TEST_F(LeftOutTest, ADictionaryThatIsMissingIsNamed) {
  Write(PickleDict({{Key("model"), Weights()}}));
  EXPECT_THAT(Export({"--state_dict=modle"}).err,
              StartsWith("INVALID_ARGUMENT: c.pth: no dictionary \"modle\" holds tensors; nearest: model\n"));
  const ToolResult seeded = RunTool(
      "export", {"--model=" + ExampleModel("published features"), "--weights=seeded", "--state_dict=model"}, folder_);
  EXPECT_THAT(seeded.err, StartsWith("INVALID_ARGUMENT: --state_dict is for checkpoints"));
}

TEST_F(LeftOutTest, ValuesThatTheDtypeCannotHoldAreCounted) {
  Write(DoubleWeights());
  const ToolResult result = Export();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("changed     64 from float64 (1 value became 0, 1 subnormal)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("state dict")));
  EXPECT_THAT(ManifestText(), HasSubstr(R"("from": "float64",
    "tensors": 64,
    "became_zero": 1,
    "became_subnormal": 1)"));
}

}  // namespace
}  // namespace modelport
