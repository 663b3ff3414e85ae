// The numbers that normalise images are tensors of upstream's files; files of transformers lack them, since its image
// processor has them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/seeded_file.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/weights/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr char kModel[] = "tiny_promptda", kMean[] = "pipeline._mean", kStd[] = "pipeline._std";

using Tensors = std::map<std::string, at::Tensor>;

absl::StatusOr<Tensors> Read(const std::string& path) {
  ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(path));
  return CopyTensors(file);
}

absl::Status Write(const Tensors& tensors, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteTensors({tensors.begin(), tensors.end()}, {}, file));
  return file.Commit();
}

class ImageProcessorTest : public testing::Test {
 protected:
  // Writes original.safetensors, of seeded weights and the numbers that all models have.
  void SetUp() override {
    folder_ = EmptyFolder("files");
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {DataPath("models")}));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(kModel));
    ASSERT_OK(WriteSeededSafetensors(entry, folder_ + "/original.safetensors"));
    ASSERT_OK_AND_ASSIGN(original_, Read(folder_ + "/original.safetensors"));
    original_[kMean] = at::tensor({0.485f, 0.456f, 0.406f}).reshape({1, 3, 1, 1});
    original_[kStd] = at::tensor({0.229f, 0.224f, 0.225f}).reshape({1, 3, 1, 1});
    ASSERT_OK(Write(original_, folder_ + "/original.safetensors"));
  }

  ToolResult Convert(const std::string& from, const std::string& layout, const std::string& to) {
    return RunWarmTool("convert",
                       {"--checkpoint=" + from, "--layout=" + layout, "--out=" + to, std::string("--model=") + kModel,
                        "--plugin_path=" + DataPath("models")},
                       folder_);
  }

  std::string folder_;
  Tensors original_;
};

TEST_F(ImageProcessorTest, ItsNumbersAreLeftOutAndComeBack) {
  const ToolResult there = Convert("original.safetensors", "transformers", "t.safetensors");
  ASSERT_EQ(there.exit_status, 0) << there.err;
  ASSERT_OK_AND_ASSIGN(const Tensors transformers, Read(folder_ + "/t.safetensors"));
  EXPECT_EQ(transformers.count(kMean) + transformers.count("_mean"), 0);
  const ToolResult back = Convert("t.safetensors", "original", "back.safetensors");
  ASSERT_EQ(back.exit_status, 0) << back.err;
  ASSERT_OK_AND_ASSIGN(const Tensors returned, Read(folder_ + "/back.safetensors"));
  EXPECT_EQ(returned.size(), original_.size());
  for (const auto& [key, tensor] : original_) {
    ASSERT_EQ(returned.count(key), 1) << key;
    EXPECT_TRUE(returned.at(key).equal(tensor)) << key;
  }
}

TEST_F(ImageProcessorTest, OtherNumbersAreNotLost) {
  original_[kStd][0][1][0][0] = 0.2241f;
  ASSERT_OK(Write(original_, folder_ + "/original.safetensors"));
  const ToolResult result = Convert("original.safetensors", "transformers", "t.safetensors");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("_std: the image processor of transformers normalises by it"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("_mean")));
}

}  // namespace
}  // namespace modelport
