// What wraps a model puts a prefix before its keys. Whatever the prefix is, it is found, said, and what begins
// otherwise is named; where two parts of a file fit, --prefix chooses.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace modelport
