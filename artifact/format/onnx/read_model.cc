#include "artifact/format/onnx/read_model.h"

#include <google/protobuf/io/coded_stream.h>

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/onnx.pb.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport::onnx {
namespace {

using google::protobuf::io::CodedInputStream;
using onnx_file::GraphProto;
using onnx_file::ModelProto;
using onnx_file::TensorProto;

// Fields that Modelport does not write: of TensorProto those that name another file, and of messages that hold tensors
// or nodes those in which more of them could be.
constexpr int kExternalData = 13, kDataLocation = 14;
constexpr int kTensors = 10, kGraphs = 11, kSparseTensor = 22, kSparseTensors = 23;  // Of AttributeProto.
constexpr int kSparseInitializer = 15;                                               // Of GraphProto.
constexpr int kTrainingInfo = 20, kFunctions = 25;                                   // Of ModelProto.

// Graphs within graphs.
constexpr int kMostDepth = 20;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("is damaged, or no ONNX file: ", what));
}

// A field of a message: its number, and its bytes or its integer.
struct Field {
  int number = 0;
  absl::string_view bytes = {};
  uint64_t integer = 0;
};

// Calls `visit` for each field of the message `bytes`.
absl::Status ForEachField(absl::string_view bytes, absl::FunctionRef<absl::Status(const Field&)> visit) {
  CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (stream.CurrentPosition() < static_cast<int>(bytes.size())) {
    const uint32_t tag = stream.ReadTag();
    Field field{.number = static_cast<int>(tag >> 3)};
    if (field.number == 0) return Damaged("a field without a number");
    switch (tag & 7) {
      case 0:
        if (!stream.ReadVarint64(&field.integer)) return Damaged("it ends within a number");
        break;
      case 1:
        if (!stream.Skip(8)) return Damaged("it ends within a number");
        break;
      case 2: {
        uint32_t size = 0;
        if (!stream.ReadVarint32(&size)) return Damaged("it ends within a length");
        const size_t start = static_cast<size_t>(stream.CurrentPosition());
        if (size > bytes.size() - start) return Damaged("it is shorter than it says");
        field.bytes = bytes.substr(start, size);
        stream.Skip(static_cast<int>(size));
        break;
      }
      case 5:
        if (!stream.Skip(4)) return Damaged("it ends within a number");
        break;
      default:
        return Damaged("a field of no known kind");
    }
    RETURN_IF_ERROR(visit(field));
  }
  return absl::OkStatus();
}

absl::Status CheckTensor(absl::string_view bytes) {
  return ForEachField(bytes, [](const Field& field) {
    if (field.number != kExternalData && field.number != kDataLocation) return absl::OkStatus();
    return absl::DataLossError("has tensors in other files, which Modelport neither writes nor opens");
  });
}

absl::Status CheckNodes(absl::string_view graph, int depth);

absl::Status CheckAttribute(absl::string_view bytes, int depth) {
  return ForEachField(bytes, [&](const Field& field) {
    switch (field.number) {
      case onnx_file::AttributeProto::kTFieldNumber:
        return CheckTensor(field.bytes);
      case onnx_file::AttributeProto::kGFieldNumber:
        return CheckNodes(field.bytes, depth + 1);
      case kTensors:
      case kGraphs:
      case kSparseTensor:
      case kSparseTensors:
        return absl::DataLossError("has attributes of a kind that Modelport does not write");
      default:
        return absl::OkStatus();
    }
  });
}

// Makes sure that no node of the graph, nor of graphs within, and no tensor in it names another file.
absl::Status CheckNodes(absl::string_view graph, int depth) {
  if (depth > kMostDepth) return Damaged("graphs too deep within each other");
  return ForEachField(graph, [&](const Field& part) {
    if (part.number == kSparseInitializer)
      return absl::DataLossError("has sparse tensors, which Modelport never writes");
    if (part.number == GraphProto::kInitializerFieldNumber) return CheckTensor(part.bytes);
    if (part.number != GraphProto::kNodeFieldNumber) return absl::OkStatus();
    return ForEachField(part.bytes, [&](const Field& field) {
      return field.number == onnx_file::NodeProto::kAttributeFieldNumber ? CheckAttribute(field.bytes, depth)
                                                                         : absl::OkStatus();
    });
  });
}

absl::Status ReadConstant(absl::string_view bytes, FileModel& model) {
  FileTensor tensor;
  std::string name;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const Field& field) {
    switch (field.number) {
      case TensorProto::kDimsFieldNumber:
        tensor.shape.push_back(static_cast<int64_t>(field.integer));
        break;
      case TensorProto::kDataTypeFieldNumber:
        tensor.type = static_cast<int>(field.integer);
        break;
      case TensorProto::kNameFieldNumber:
        name = std::string(field.bytes);
        break;
      case TensorProto::kRawDataFieldNumber:
        tensor.bytes = field.bytes;
        break;
      default:
        break;
    }
    return absl::OkStatus();
  }));
  if (!model.constants.emplace(name, std::move(tensor)).second)
    return Damaged(absl::StrCat("two tensors ", Brief(name)));
  return absl::OkStatus();
}

absl::Status ReadMetadata(absl::string_view bytes, FileModel& model) {
  std::string key, value;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const Field& field) {
    if (field.number == onnx_file::StringStringEntryProto::kKeyFieldNumber) key = std::string(field.bytes);
    if (field.number == onnx_file::StringStringEntryProto::kValueFieldNumber) value = std::string(field.bytes);
    return absl::OkStatus();
  }));
  if (!model.metadata.emplace(key, std::move(value)).second) return Damaged(absl::StrCat("two entries ", Brief(key)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FileModel> ReadModel(absl::string_view bytes) {
  if (bytes.size() > INT32_MAX) return Damaged("it has more than 2 GB");
  FileModel model;
  bool has_graph = false;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const Field& field) {
    if (field.number == ModelProto::kMetadataPropsFieldNumber) return ReadMetadata(field.bytes, model);
    if (field.number == kTrainingInfo || field.number == kFunctions) {
      return absl::DataLossError("has functions or training code, which Modelport never writes");
    }
    if (field.number != ModelProto::kGraphFieldNumber) return absl::OkStatus();
    if (has_graph) return Damaged("two graphs");
    has_graph = true;
    RETURN_IF_ERROR(CheckNodes(field.bytes, /*depth=*/0));
    return ForEachField(field.bytes, [&](const Field& part) {
      return part.number == GraphProto::kInitializerFieldNumber ? ReadConstant(part.bytes, model) : absl::OkStatus();
    });
  }));
  if (!has_graph) return Damaged("it has no graph");
  return model;
}

}  // namespace modelport::onnx
