#include "artifact/format/onnx/read_model.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/format/onnx/onnx.pb.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"

namespace modelport::onnx {
namespace {

using google::protobuf::io::CodedInputStream;
using onnx_file::GraphProto;
using onnx_file::ModelProto;
using onnx_file::TensorProto;

// Fields that Modelport does not write, in which more tensors or nodes could be.
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

// Makes sure that a tensor that is no constant of the whole graph names no file.
absl::Status CheckTensor(absl::string_view bytes) {
  return ForEachField(bytes, [](const Field& field) {
    if (field.number != TensorProto::kExternalDataFieldNumber && field.number != TensorProto::kDataLocationFieldNumber)
      return absl::OkStatus();
    return absl::DataLossError("has tensors of nodes in other files, which Modelport neither writes nor opens");
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

// Makes sure that no node of the graph, nor of graphs within, and no constant of these names another file.
absl::Status CheckNodes(absl::string_view graph, int depth) {
  if (depth > kMostDepth) return Damaged("graphs too deep within each other");
  return ForEachField(graph, [&](const Field& part) {
    if (part.number == kSparseInitializer)
      return absl::DataLossError("has sparse tensors, which Modelport never writes");
    if (part.number == GraphProto::kInitializerFieldNumber)
      return depth == 0 ? absl::OkStatus() : CheckTensor(part.bytes);
    if (part.number != GraphProto::kNodeFieldNumber) return absl::OkStatus();
    return ForEachField(part.bytes, [&](const Field& field) {
      return field.number == onnx_file::NodeProto::kAttributeFieldNumber ? CheckAttribute(field.bytes, depth)
                                                                         : absl::OkStatus();
    });
  });
}

// Adds an entry of a key and a text.
absl::Status ReadEntry(absl::string_view bytes, std::map<std::string, std::string>& entries) {
  std::string key, value;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const Field& field) {
    if (field.number == onnx_file::StringStringEntryProto::kKeyFieldNumber) key = std::string(field.bytes);
    if (field.number == onnx_file::StringStringEntryProto::kValueFieldNumber) value = std::string(field.bytes);
    return absl::OkStatus();
  }));
  if (!entries.emplace(key, std::move(value)).second) return Damaged(absl::StrCat("two entries ", Brief(key)));
  return absl::OkStatus();
}

// The size of an element; 0 of a type that Modelport does not write.
uint64_t ByteSizeOf(int type) {
  switch (type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 1;
    case TensorProto::BFLOAT16:
    case TensorProto::FLOAT16:
      return 2;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
      return 4;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
      return 8;
    default:
      return 0;
  }
}

// Whether `length` is the size of the elements that a tensor's shape and type state.
bool IsSizeOf(const FileTensor& tensor, uint64_t length) {
  const absl::optional<int64_t> count = ElementCount(tensor.shape);
  const uint64_t size = ByteSizeOf(tensor.type);
  return count && size > 0 && length % size == 0 && length / size == static_cast<uint64_t>(*count);
}

// The number that the entry `key` spells as Modelport does; nullopt if it is none, or there is no such entry.
absl::optional<uint64_t> NumberAt(const std::map<std::string, std::string>& entries, const std::string& key) {
  const auto found = entries.find(key);
  uint64_t number = 0;
  if (found == entries.end() || !absl::SimpleAtoi(found->second, &number) || absl::StrCat(number) != found->second)
    return absl::nullopt;
  return number;
}

// Sets where the elements of a constant lie in the data file, as its entries say.
absl::Status ReadPlace(const std::string& name, const std::map<std::string, std::string>& entries,
                       absl::string_view data_name, FileTensor& tensor) {
  const std::string what = absl::StrCat("the initializer ", Brief(name));
  const auto location = entries.find("location");
  if (location == entries.end() || location->second != data_name) {
    return absl::DataLossError(
        absl::StrCat(what, " lies in the file ", location == entries.end() ? "?" : Brief(location->second),
                     ", and Modelport opens only ", data_name,
                     " beside it\n  if the two were renamed, give them the names again that export gave them"));
  }
  const absl::optional<uint64_t> offset = NumberAt(entries, "offset"), length = NumberAt(entries, "length");
  if (!offset || !length || entries.size() != 3) {
    return absl::DataLossError(
        absl::StrCat(what, " has other entries than an offset and a length, in bytes, in ", data_name));
  }
  if (!IsSizeOf(tensor, *length)) {
    return absl::DataLossError(absl::StrCat(what, " has ", *length, " bytes in ", data_name, ", and its shape is ",
                                            ShapeString(tensor.shape), " of type ", tensor.type));
  }
  tensor.is_external = true;
  tensor.offset = *offset;
  tensor.length = *length;
  return absl::OkStatus();
}

absl::Status ReadConstant(absl::string_view bytes, absl::string_view data_name, FileModel& model) {
  FileTensor tensor;
  std::string name;
  std::map<std::string, std::string> entries;
  uint64_t location = TensorProto::DEFAULT;
  bool has_elements = false;
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
        has_elements = true;
        break;
      case TensorProto::kExternalDataFieldNumber:
        return ReadEntry(field.bytes, entries);
      case TensorProto::kDataLocationFieldNumber:
        location = field.integer;
        break;
      default:
        break;
    }
    return absl::OkStatus();
  }));
  if (!entries.empty() || location != TensorProto::DEFAULT) {
    if (location != TensorProto::EXTERNAL || has_elements) {
      return Damaged(absl::StrCat("the initializer ", Brief(name), " is half in the file, half in another"));
    }
    RETURN_IF_ERROR(ReadPlace(name, entries, data_name, tensor));
  }
  if (!model.constants.emplace(name, std::move(tensor)).second)
    return Damaged(absl::StrCat("two tensors ", Brief(name)));
  return absl::OkStatus();
}

}  // namespace

bool FileModel::has_external() const {
  return std::any_of(constants.begin(), constants.end(), [](const auto& entry) { return entry.second.is_external; });
}

absl::StatusOr<FileModel> ReadModel(absl::string_view bytes, absl::string_view data_name) {
  if (bytes.size() > INT32_MAX) return Damaged("it has more than 2 GB");
  FileModel model;
  bool has_graph = false;
  RETURN_IF_ERROR(ForEachField(bytes, [&](const Field& field) {
    if (field.number == ModelProto::kMetadataPropsFieldNumber) return ReadEntry(field.bytes, model.metadata);
    if (field.number == kTrainingInfo || field.number == kFunctions) {
      return absl::DataLossError("has functions or training code, which Modelport never writes");
    }
    if (field.number != ModelProto::kGraphFieldNumber) return absl::OkStatus();
    if (has_graph) return Damaged("two graphs");
    has_graph = true;
    RETURN_IF_ERROR(CheckNodes(field.bytes, /*depth=*/0));
    return ForEachField(field.bytes, [&](const Field& part) {
      return part.number == GraphProto::kInitializerFieldNumber ? ReadConstant(part.bytes, data_name, model)
                                                                : absl::OkStatus();
    });
  }));
  if (!has_graph) return Damaged("it has no graph");
  return model;
}

absl::Status FindElements(absl::string_view data, FileModel& model) {
  std::vector<std::pair<absl::string_view, FileTensor*>> external;
  for (auto& [name, tensor] : model.constants) {
    if (tensor.is_external) external.emplace_back(name, &tensor);
  }
  std::sort(external.begin(), external.end(),
            [](const auto& a, const auto& b) { return a.second->offset < b.second->offset; });
  uint64_t end = 0;  // Of the constant before.
  for (const auto& [name, tensor] : external) {
    if (tensor->offset > data.size() || tensor->length > data.size() - tensor->offset) {
      return absl::DataLossError(absl::StrCat("is too short: the initializer ", Brief(name), " has ", tensor->length,
                                              " bytes from byte ", tensor->offset, " on, and the file has ",
                                              data.size(), "\n  copy it again, or export the model again"));
    }
    if (tensor->offset < end) {
      return absl::DataLossError(
          absl::StrCat("the initializer ", Brief(name), " overlaps another one, as Modelport never writes them"));
    }
    tensor->bytes = data.substr(tensor->offset, tensor->length);
    end = tensor->offset + tensor->length;
  }
  return absl::OkStatus();
}

}  // namespace modelport::onnx
