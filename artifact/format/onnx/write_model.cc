#include "artifact/format/onnx/write_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport::onnx {
namespace {

using google::protobuf::io::CodedOutputStream;

// The bytes that begin a field of this number whose `size` bytes follow.
std::string FieldHeader(int field, uint64_t size) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  CodedOutputStream coded(&stream);
  coded.WriteTag(static_cast<uint32_t>(field) << 3 | 2);  // 2: its length comes first.
  coded.WriteVarint64(size);
  coded.Trim();
  return bytes;
}

// A constant without its elements, and the header of these, which end the message.
struct ConstantHead {
  std::string before;  // Of the field in the graph, the message, and the elements' header.
  uint64_t size = 0;   // Of all three and the elements.
};

ConstantHead HeadOf(const std::string& name, const at::Tensor& tensor) {
  onnx_file::TensorProto message;
  for (const int64_t size : tensor.sizes()) message.add_dims(size);
  message.set_data_type(DataTypeOf(tensor.scalar_type()));
  message.set_name(name);
  const std::string data = FieldHeader(onnx_file::TensorProto::kRawDataFieldNumber, tensor.nbytes());
  const std::string text = message.SerializeAsString() + data;
  ConstantHead head;
  head.before = FieldHeader(onnx_file::GraphProto::kInitializerFieldNumber, text.size() + tensor.nbytes()) + text;
  head.size = head.before.size() + tensor.nbytes();
  return head;
}

}  // namespace

absl::Status WriteModel(
    const Model& model, const ModelFacts& facts,
    const std::function<absl::StatusOr<std::vector<std::pair<std::string, std::string>>>()>& metadata, Writer& out) {
  onnx_file::ModelProto head;
  // That in which the opset was released.
  head.set_ir_version(facts.opset < 19 ? 8 : facts.opset < 21 ? 9 : 10);
  head.set_producer_name("modelport");
  head.set_producer_version(facts.producer_version);
  if (!facts.doc.empty()) head.set_doc_string(facts.doc);
  onnx_file::OperatorSetIdProto& opset = *head.add_opset_import();
  opset.set_domain("");
  opset.set_version(facts.opset);
  const std::string code = model.graph.SerializeAsString();
  std::vector<ConstantHead> heads;
  uint64_t size = code.size();
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    heads.push_back(HeadOf(model.constants[i], model.tensors[i]));
    size += heads.back().size;
  }
  // What follows the graph, the manifest, is far smaller than 1 MB.
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max() - (uint64_t{1} << 20);
  if (size > kMost) {
    return absl::UnimplementedError(absl::StrCat(
        "the file would have ", size >> 20, " MB, and an ONNX file holds less than 2048 MB; choose a smaller model"));
  }
  RETURN_IF_ERROR(out.Write(head.SerializeAsString()));
  RETURN_IF_ERROR(out.Write(FieldHeader(onnx_file::ModelProto::kGraphFieldNumber, size)));
  RETURN_IF_ERROR(out.Write(code));
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    RETURN_IF_ERROR(out.Write(heads[i].before));
    const at::Tensor tensor = model.tensors[i].contiguous();
    const absl::string_view bytes(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    RETURN_IF_ERROR(model.tensors[i].is_contiguous() ? out.WriteLasting(bytes) : out.Write(bytes));
  }
  ASSIGN_OR_RETURN(const auto entries, metadata());
  onnx_file::ModelProto tail;
  for (const auto& [key, value] : entries) {
    onnx_file::StringStringEntryProto& entry = *tail.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  return out.Write(tail.SerializeAsString());
}

}  // namespace modelport::onnx
