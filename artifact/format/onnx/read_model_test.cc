#include "artifact/format/onnx/read_model.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <functional>
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

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDataName[] = "m.onnx.data";

absl::StatusOr<FileModel> Read(absl::string_view bytes) { return ReadModel(bytes, kDataName); }

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

std::string WriteText(const Model& model, CountingWriter& writer, CountingWriter* data = nullptr) {
  const DataFile file = {kDataName, data == nullptr ? writer : *data};
  EXPECT_OK(WriteModel(
      model, {"1", "what it is"},
      [] {
        return std::vector<std::pair<std::string, std::string>>{{"key", "text"}};
      },
      writer, data == nullptr ? nullptr : &file));
  return writer.text;
}

TEST(ReadModelTest, ReadsWhatWasWritten) {
  CountingWriter writer;
  const std::string text = WriteText(MakeModel(), writer);
  EXPECT_EQ(writer.lasting, 1);  // The other tensor is not contiguous.
  ASSERT_OK_AND_ASSIGN(const FileModel stored, Read(text));
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
  ASSERT_OK_AND_ASSIGN(const FileModel whole, Read(text));
  for (size_t size = 0; size < text.size(); ++size) {
    const absl::StatusOr<FileModel> stored = Read(absl::string_view(text).substr(0, size));
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
  ASSERT_OK(Read(FileOf(NodeWith(FieldOf(AttributeProto::kTFieldNumber, "")))));
  // The field external_data, number 13, and data_location, number 14, of a tensor.
  for (const std::string& tensor : {std::string("\x6a\x02\x0a\x00", 4), std::string("\x70\x01", 2)}) {
    const std::string initializer = FieldOf(onnx_file::GraphProto::kInitializerFieldNumber, tensor);
    const std::string constant = NodeWith(FieldOf(AttributeProto::kTFieldNumber, tensor));
    const std::string branch = NodeWith(FieldOf(AttributeProto::kGFieldNumber, constant));
    const std::string branch_constant = NodeWith(FieldOf(AttributeProto::kGFieldNumber, initializer));
    EXPECT_THAT(Read(FileOf(initializer)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the initializer ")));
    for (const std::string& graph : {constant, branch, branch_constant}) {
      EXPECT_THAT(Read(FileOf(graph)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("tensors of nodes in other")));
    }
  }
}

// Two constants that go to a data file, of 1200 and 4800 bytes, and a small one that does not.
Model LargeModel() {
  Model model = MakeModel();
  model.constants = {"a.weight", "b", "c.weight"};
  model.tensors = {at::arange(300, at::kFloat).reshape({3, 100}), at::arange(6, at::kLong),
                   at::arange(1200, at::kFloat).reshape({40, 30}).t()};
  return model;
}

TEST(ReadModelTest, LargeConstantsLieInADataFileAtPages) {
  CountingWriter writer, data, again, data_again;
  const std::string text = WriteText(LargeModel(), writer, &data);
  EXPECT_EQ(text, WriteText(LargeModel(), again, &data_again));
  EXPECT_EQ(data.text, data_again.text);
  EXPECT_EQ(data.text.size(), 4096 + 4800);
  EXPECT_EQ(data.lasting, 1);  // The other tensor is not contiguous.
  EXPECT_EQ(data.text.substr(1200, 2896), std::string(2896, '\0'));
  ASSERT_OK_AND_ASSIGN(FileModel stored, Read(text));
  EXPECT_TRUE(stored.has_external());
  ASSERT_OK(FindElements(data.text, stored));
  const FileTensor& weight = stored.constants.at("c.weight");
  EXPECT_EQ(weight.offset, 4096);
  EXPECT_EQ(weight.bytes, absl::string_view(data.text).substr(4096));
  EXPECT_THAT(weight.shape, ElementsAre(30, 40));
  EXPECT_EQ(stored.constants.at("a.weight").bytes, absl::string_view(data.text).substr(0, 1200));
  EXPECT_EQ(stored.constants.at("b").bytes.size(), 48);
  EXPECT_EQ(stored.metadata.at("key"), "text");
}

TEST(ReadModelTest, AModelHasLargeConstantsOrNone) {
  EXPECT_TRUE(HasLargeConstants(LargeModel()));
  EXPECT_FALSE(HasLargeConstants(MakeModel()));
  EXPECT_TRUE(FitsOneFile(LargeModel()));
  Model giant = MakeModel();
  giant.tensors[0] = at::zeros({1}).expand({int64_t{1} << 29});  // 2 GB, of which memory has 4 bytes.
  EXPECT_FALSE(FitsOneFile(giant));
}

// Reads the model whose first constant has been altered, with the data file `data` or its own.
absl::Status ReadAltered(const std::function<void(onnx_file::TensorProto&)>& alter, absl::string_view data = "") {
  CountingWriter writer, own;
  onnx_file::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(WriteText(LargeModel(), writer, &own)));
  alter(*model.mutable_graph()->mutable_initializer(0));
  const std::string text = model.SerializeAsString();
  absl::StatusOr<FileModel> stored = Read(text);
  return stored.ok() ? FindElements(data.empty() ? own.text : data, *stored) : stored.status();
}

// The same with this value of an entry of the field external_data; the places are location, offset and length.
absl::Status ReadWithEntry(int place, const std::string& value) {
  return ReadAltered([&](onnx_file::TensorProto& tensor) { tensor.mutable_external_data(place)->set_value(value); });
}

TEST(ReadModelTest, OnlyTheDataFileOfItsNameIsOpened) {
  ASSERT_OK(ReadWithEntry(0, kDataName));
  for (const std::string& location :
       {std::string("/etc/passwd"), std::string("../m.onnx.data"), std::string("./m.onnx.data"),
        std::string("a/m.onnx.data"), std::string("a\\m.onnx.data"), std::string("m.onnx.data\0", 12),
        std::string("m.onnx.data/"), std::string("M.onnx.data"), std::string("n.onnx.data"), std::string(".."),
        std::string(), std::string("*/_ORT_MEM_ADDR_/*")}) {
    EXPECT_THAT(ReadWithEntry(0, location),
                StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("the initializer a.weight lies in the file "),
                                                            HasSubstr("opens only m.onnx.data beside it"))))
        << location;
  }
}

TEST(ReadModelTest, PlacesInTheDataFileAreWithinIt) {
  ASSERT_OK(ReadWithEntry(1, "0"));
  for (const char* const offset : {"-1", "+0", " 0", "00", "0x0", "", "18446744073709551616", "1e3"}) {
    EXPECT_THAT(ReadWithEntry(1, offset),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.weight has other entries")));
  }
  for (const char* const offset : {"7697", "8896", "18446744073709551615", "18446744073709550416"}) {
    EXPECT_THAT(ReadWithEntry(1, offset),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is too short: the initializer")));
  }
  for (const char* const offset : {"4096", "4000", "7000"}) {
    EXPECT_THAT(ReadWithEntry(1, offset), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("overlaps another one")));
  }
  for (const char* const length : {"0", "1199", "1201", "4800", "18446744073709551615"}) {
    EXPECT_THAT(ReadWithEntry(2, length),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("and its shape is [3, 100]")));
  }
  EXPECT_THAT(ReadAltered([](onnx_file::TensorProto&) {}, "cut"),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("is too short"), HasSubstr("\n  copy it again"))));
}

TEST(ReadModelTest, AConstantIsInOneFileInOneForm) {
  using onnx_file::TensorProto;
  const std::pair<std::function<void(TensorProto&)>, const char*> cases[] = {
      {[](TensorProto& tensor) { tensor.set_raw_data("a"); }, "half in the file"},
      {[](TensorProto& tensor) { tensor.clear_data_location(); }, "half in the file"},
      {[](TensorProto& tensor) { tensor.clear_external_data(); }, "lies in the file ?"},
      {[](TensorProto& tensor) { tensor.mutable_external_data(1)->set_key("location"); }, "two entries location"},
      {[](TensorProto& tensor) { tensor.mutable_external_data()->RemoveLast(); }, "has other entries"},
      {[](TensorProto& tensor) { *tensor.add_external_data()->mutable_key() = "checksum"; }, "has other entries"},
      {[](TensorProto& tensor) { tensor.set_dims(0, int64_t{1} << 62); }, "and its shape is"},
      {[](TensorProto& tensor) { tensor.set_dims(0, -3); }, "and its shape is"},
      {[](TensorProto& tensor) { tensor.set_data_type(TensorProto::INT64); }, "and its shape is"},
      {[](TensorProto& tensor) { tensor.clear_data_type(); }, "and its shape is"},
  };
  for (const auto& [alter, message] : cases) {
    EXPECT_THAT(ReadAltered(alter), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(message)));
  }
}

TEST(ReadModelTest, WhatCouldHideTensorsIsRefused) {
  for (const int number : {10, 11, 22, 23}) {  // tensors, graphs, sparse_tensor, sparse_tensors
    EXPECT_THAT(Read(FileOf(NodeWith(FieldOf(number, "")))),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("attributes of a kind that Modelport does not write")));
  }
  EXPECT_THAT(Read(FileOf(FieldOf(15, ""))), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("sparse tensors")));
  for (const int number : {20, 25}) {  // training_info, functions
    EXPECT_THAT(Read(FileOf("") + FieldOf(number, "")),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("functions or training code")));
  }
}

TEST(ReadModelTest, GraphsDeepWithinEachOtherAreRefused) {
  onnx_file::ModelProto model;
  onnx_file::GraphProto* graph = model.mutable_graph();
  for (int i = 0; i < 30; ++i) graph = graph->add_node()->add_attribute()->mutable_g();
  EXPECT_THAT(Read(model.SerializeAsString()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("too deep")));
}

TEST(ReadModelTest, WhatIsSaidTwiceIsRefused) {
  onnx_file::ModelProto model;
  model.mutable_graph()->add_initializer()->set_name("a");
  model.mutable_graph()->add_initializer()->set_name("a");
  EXPECT_THAT(Read(model.SerializeAsString()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two tensors a")));
  model.mutable_graph()->mutable_initializer()->RemoveLast();
  const std::string text = model.SerializeAsString();
  EXPECT_THAT(Read(text + text), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two graphs")));
  EXPECT_THAT(Read(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has no graph")));
  EXPECT_THAT(Read("PK\x03\x04 and so on"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no ONNX file")));
}

}  // namespace
}  // namespace modelport::onnx
