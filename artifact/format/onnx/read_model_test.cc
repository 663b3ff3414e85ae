#include "artifact/format/onnx/read_model.h"

#include <ATen/ops/arange.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/onnx.pb.h"
#include "artifact/format/onnx/write_model.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Counts how the bytes came.
class CountingWriter : public Writer {
 public:
  absl::Status Write(absl::string_view bytes) override {
    text.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status WriteLasting(absl::string_view bytes) override {
    ++lasting;
    return Write(bytes);
  }
  std::string text;
  int lasting = 0;
};

Model MakeModel() {
  Model model;
  model.constants = {"a.weight", "b"};
  model.tensors = {at::arange(6, at::kFloat).reshape({2, 3}), at::arange(6, at::kLong).reshape({2, 3}).t()};
  model.graph.set_name("tested");
  model.graph.add_node()->set_op_type("Identity");
  return model;
}

std::string WriteText(const Model& model, CountingWriter& writer) {
  EXPECT_OK(WriteModel(
      model, {"1", "what it is"},
      [] {
        return std::vector<std::pair<std::string, std::string>>{{"key", "text"}};
      },
      writer));
  return writer.text;
}

TEST(ReadModelTest, ReadsWhatWasWritten) {
  CountingWriter writer;
  const std::string text = WriteText(MakeModel(), writer);
  EXPECT_EQ(writer.lasting, 1);  // The other tensor is not contiguous.
  ASSERT_OK_AND_ASSIGN(const FileModel stored, ReadModel(text));
  ASSERT_EQ(stored.constants.size(), 2);
  const FileTensor& weight = stored.constants.at("a.weight");
  EXPECT_THAT(weight.shape, ElementsAre(2, 3));
  EXPECT_EQ(weight.type, onnx_file::TensorProto::FLOAT);
  EXPECT_EQ(weight.bytes.size(), 24);
  EXPECT_THAT(stored.constants.at("b").shape, ElementsAre(3, 2));
  EXPECT_EQ(stored.constants.at("b").bytes[8], 3);  // The second element of the transposed matrix.
  EXPECT_EQ(stored.metadata.at("key"), "text");
}

TEST(ReadModelTest, ItIsWhatProtobufReads) {
  CountingWriter writer;
  onnx_file::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(WriteText(MakeModel(), writer)));
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.graph().name(), "tested");
  EXPECT_EQ(model.graph().initializer_size(), 2);
  EXPECT_EQ(model.graph().initializer(0).raw_data().size(), 24);
  EXPECT_EQ(model.metadata_props(0).value(), "text");
}

TEST(ReadModelTest, ATruncatedFileIsRefusedOrLacksItsEnd) {
  CountingWriter writer;
  const std::string text = WriteText(MakeModel(), writer);
  ASSERT_OK_AND_ASSIGN(const FileModel whole, ReadModel(text));
  for (size_t size = 0; size < text.size(); ++size) {
    const absl::StatusOr<FileModel> stored = ReadModel(absl::string_view(text).substr(0, size));
    if (!stored.ok()) continue;
    EXPECT_TRUE(stored->metadata.empty()) << size;
  }
}

// The field of this number, whose bytes, at most 120, are `bytes`.
std::string FieldOf(int number, const std::string& bytes) {
  std::string tag(1, static_cast<char>((number << 3 | 2) & 0x7f));
  if (number > 15) {
    tag[0] = static_cast<char>(tag[0] | 0x80);
    tag += static_cast<char>(number >> 4);
  }
  return absl::StrCat(tag, std::string(1, static_cast<char>(bytes.size())), bytes);
}

std::string FileOf(const std::string& graph) { return FieldOf(onnx_file::ModelProto::kGraphFieldNumber, graph); }

// A graph with a node that has this attribute.
std::string NodeWith(const std::string& attribute) {
  return FieldOf(onnx_file::GraphProto::kNodeFieldNumber,
                 FieldOf(onnx_file::NodeProto::kAttributeFieldNumber, attribute));
}

TEST(ReadModelTest, OtherFilesAreNeverOpened) {
  using onnx_file::AttributeProto;
  ASSERT_OK(ReadModel(FileOf(NodeWith(FieldOf(AttributeProto::kTFieldNumber, "")))));
  // The field external_data, number 13, and data_location, number 14, of a tensor.
  for (const std::string& tensor : {std::string("\x6a\x02\x0a\x00", 4), std::string("\x70\x01", 2)}) {
    const std::string initializer = FieldOf(onnx_file::GraphProto::kInitializerFieldNumber, tensor);
    const std::string constant = NodeWith(FieldOf(AttributeProto::kTFieldNumber, tensor));
    const std::string branch = NodeWith(FieldOf(AttributeProto::kGFieldNumber, constant));
    const std::string branch_constant = NodeWith(FieldOf(AttributeProto::kGFieldNumber, initializer));
    for (const std::string& graph : {initializer, constant, branch, branch_constant}) {
      EXPECT_THAT(ReadModel(FileOf(graph)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("tensors in other files")));
    }
  }
}

TEST(ReadModelTest, WhatCouldHideTensorsIsRefused) {
  for (const int number : {10, 11, 22, 23}) {  // tensors, graphs, sparse_tensor, sparse_tensors
    EXPECT_THAT(ReadModel(FileOf(NodeWith(FieldOf(number, "")))),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("attributes of a kind that Modelport does not write")));
  }
  EXPECT_THAT(ReadModel(FileOf(FieldOf(15, ""))), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("sparse tensors")));
  for (const int number : {20, 25}) {  // training_info, functions
    EXPECT_THAT(ReadModel(FileOf("") + FieldOf(number, "")),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("functions or training code")));
  }
}

TEST(ReadModelTest, GraphsDeepWithinEachOtherAreRefused) {
  onnx_file::ModelProto model;
  onnx_file::GraphProto* graph = model.mutable_graph();
  for (int i = 0; i < 30; ++i) graph = graph->add_node()->add_attribute()->mutable_g();
  EXPECT_THAT(ReadModel(model.SerializeAsString()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("too deep")));
}

TEST(ReadModelTest, WhatIsSaidTwiceIsRefused) {
  onnx_file::ModelProto model;
  model.mutable_graph()->add_initializer()->set_name("a");
  model.mutable_graph()->add_initializer()->set_name("a");
  EXPECT_THAT(ReadModel(model.SerializeAsString()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two tensors a")));
  model.mutable_graph()->mutable_initializer()->RemoveLast();
  const std::string text = model.SerializeAsString();
  EXPECT_THAT(ReadModel(text + text), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two graphs")));
  EXPECT_THAT(ReadModel(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has no graph")));
  EXPECT_THAT(ReadModel("PK\x03\x04 and so on"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no ONNX file")));
}

}  // namespace
}  // namespace modelport::onnx
