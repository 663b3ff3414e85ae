#include "common/torchscript/weights/tensor_file.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"

namespace modelport {
namespace {

using testing::HasSubstr;

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

std::string Path() { return testing::TempDir() + "/tensors.safetensors"; }

absl::Status Write(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata = {}) {
  ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(Path()));
  RETURN_IF_ERROR(WriteTensors(tensors, metadata, out));
  return out.Commit();
}

TEST(TensorFileTest, GivesBackWhatWasWritten) {
  const NamedTensors tensors = {
      {"double", at::rand({2, 3}, at::kDouble)},
      {"float.transposed", at::rand({2, 3}).t()},
      {"half", at::rand({4}).to(at::kHalf)},
      {"bfloat16", at::rand({4}).to(at::kBFloat16)},
      {"long", at::arange(5)},
      {"byte", at::arange(5).to(at::kByte)},
      {"bool", at::arange(5).gt(2)},
      {"number", at::scalar_tensor(2.5)},
      {"empty", at::empty({0, 3})},
  };
  ASSERT_OK(Write(tensors, {{"what", "values"}}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint file, OpenCheckpoint(Path()));
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"what", "values"}}));
  std::map<std::string, at::Tensor> read;
  for (const CheckpointTensor& tensor : file.state_dicts().front().tensors) {
    ASSERT_OK_AND_ASSIGN(read[tensor.key], CopyTensor(file, tensor));
  }
  EXPECT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(read[name].scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(read[name].equal(tensor)) << name;
  }
  ASSERT_OK_AND_ASSIGN(const auto all, CopyTensors(file));
  EXPECT_EQ(all.size(), tensors.size());
  for (const auto& [name, tensor] : all) EXPECT_TRUE(tensor.equal(read[name])) << name;
}

TEST(TensorFileTest, AnyByteButZeroIsTrue) {
  const std::string header = R"({"b":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})";
  std::ofstream(Path()) << static_cast<char>(header.size()) << std::string(7, '\0') << header
                        << std::string("\0\1\5", 3);
  ASSERT_OK_AND_ASSIGN(const Checkpoint file, OpenCheckpoint(Path()));
  ASSERT_OK_AND_ASSIGN(const at::Tensor read, CopyTensor(file, file.state_dicts().front().tensors[0]));
  EXPECT_TRUE(read.equal(at::tensor({0, 1, 1}).gt(0)));
}

TEST(TensorFileTest, ADTypeOfOneSideOnlyIsAnErrorThatNamesTheTensor) {
  EXPECT_THAT(Write({{"z", at::zeros({2}, at::kComplexFloat)}}),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("z is a tensor of ComplexFloat")));
  ASSERT_OK(Write({{"small", at::zeros({2}).to(at::kFloat8_e4m3fn)}}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint file, OpenCheckpoint(Path()));
  EXPECT_THAT(CopyTensor(file, file.state_dicts().front().tensors[0]),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("small: is float8")));
}

}  // namespace
}  // namespace modelport
