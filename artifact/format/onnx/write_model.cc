#include "artifact/format/onnx/write_model.h"

#include <ATen/Parallel.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
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

// What follows the graph, the manifest, is far smaller than 1 MB.
constexpr uint64_t kMostBytes = std::numeric_limits<int32_t>::max() - (uint64_t{1} << 20);

// Of what begins in a data file: the size of a page, as ONNX's own tools align it.
constexpr uint64_t kPage = 4096;

bool IsLarge(const at::Tensor& tensor) { return tensor.nbytes() >= 1024; }

// How a constant is written.
struct StoredConstant {
  std::string head;   // Of the field in the graph, its message, and the header of the elements if they follow.
  uint64_t size = 0;  // Of the field.
  absl::optional<uint64_t> offset = {};  // In the data file, if the elements lie there.
};

onnx_file::TensorProto MessageOf(const std::string& name, const at::Tensor& tensor) {
  onnx_file::TensorProto message;
  for (const int64_t size : tensor.sizes()) message.add_dims(size);
  message.set_data_type(DataTypeOf(tensor.scalar_type()));
  message.set_name(name);
  return message;
}

// A constant whose elements end its message.
StoredConstant StoreWithin(const std::string& name, const at::Tensor& tensor) {
  const std::string data = FieldHeader(onnx_file::TensorProto::kRawDataFieldNumber, tensor.nbytes());
  const std::string text = MessageOf(name, tensor).SerializeAsString() + data;
  StoredConstant stored;
  stored.head = FieldHeader(onnx_file::GraphProto::kInitializerFieldNumber, text.size() + tensor.nbytes()) + text;
  stored.size = stored.head.size() + tensor.nbytes();
  return stored;
}

// A constant whose elements lie in the file `location`, from its byte `offset` on.
StoredConstant StoreBeside(const std::string& name, const at::Tensor& tensor, const std::string& location,
                           uint64_t offset) {
  onnx_file::TensorProto message = MessageOf(name, tensor);
  const std::pair<const char*, std::string> entries[] = {
      {"location", location}, {"offset", absl::StrCat(offset)}, {"length", absl::StrCat(tensor.nbytes())}};
  for (const auto& [key, value] : entries) {
    onnx_file::StringStringEntryProto& entry = *message.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  message.set_data_location(onnx_file::TensorProto::EXTERNAL);
  const std::string text = message.SerializeAsString();
  StoredConstant stored;
  stored.head = FieldHeader(onnx_file::GraphProto::kInitializerFieldNumber, text.size()) + text;
  stored.size = stored.head.size();
  stored.offset = offset;
  return stored;
}

// How the constants are stored, the large ones in the file `location` if that is not "".
std::vector<StoredConstant> StoreConstants(const Model& model, const std::string& location) {
  std::vector<StoredConstant> constants;
  uint64_t end = 0;  // Of the data file.
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    const at::Tensor& tensor = model.tensors[i];
    if (location.empty() || !IsLarge(tensor)) {
      constants.push_back(StoreWithin(model.constants[i], tensor));
      continue;
    }
    const uint64_t offset = (end + kPage - 1) / kPage * kPage;
    constants.push_back(StoreBeside(model.constants[i], tensor, location, offset));
    end = offset + tensor.nbytes();
  }
  return constants;
}

uint64_t GraphSize(const std::string& code, const std::vector<StoredConstant>& constants) {
  uint64_t size = code.size();
  for (const StoredConstant& constant : constants) size += constant.size;
  return size;
}

// The part of a matrix that is transposed at a time. The elements of its rows follow each other where they are read.
constexpr int64_t kTileRows = 64;
constexpr int64_t kTileColumns = 32;

// A block of rows is not much larger, so that it stays in the processor's cache until it is written.
constexpr int64_t kBlockBytes = int64_t{256} << 10;

template <typename Element>
struct FourOf {
  typedef Element Type __attribute__((vector_size(4 * sizeof(Element))));
};

// Transposes 4 x 4 elements, whose lines are `from_stride` and `to_stride` elements apart. With one element at a time
// an export takes 5 % longer.
template <typename Element>
void TransposeFour(const Element* from, int64_t from_stride, Element* to, int64_t to_stride) {
  using Four = typename FourOf<Element>::Type;
  Four lines[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&lines[i], from + i * from_stride, sizeof(Four));
  const Four low = __builtin_shufflevector(lines[0], lines[1], 0, 4, 1, 5);
  const Four high = __builtin_shufflevector(lines[0], lines[1], 2, 6, 3, 7);
  const Four next_low = __builtin_shufflevector(lines[2], lines[3], 0, 4, 1, 5);
  const Four next_high = __builtin_shufflevector(lines[2], lines[3], 2, 6, 3, 7);
  lines[0] = __builtin_shufflevector(low, next_low, 0, 1, 4, 5);
  lines[1] = __builtin_shufflevector(low, next_low, 2, 3, 6, 7);
  lines[2] = __builtin_shufflevector(high, next_high, 0, 1, 4, 5);
  lines[3] = __builtin_shufflevector(high, next_high, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &lines[i], sizeof(Four));
}

// Writes `rows` rows from `first` on of a matrix, whose element of row r and column c is from[c * stride + r], to `to`.
// A tile passes through memory of its own: rows of `from` and `to` are often multiples of 4096 bytes apart, and would
// push each other out of the cache.
template <typename Element>
void CopyRows(const Element* from, int64_t stride, int64_t columns, int64_t first, int64_t rows, Element* to) {
  at::parallel_for(0, columns, 8 * kTileColumns, [&](int64_t begin, int64_t end) {
    Element tile[kTileRows][kTileColumns];
    for (int64_t column = begin; column < end; column += kTileColumns) {
      const int64_t width = std::min(kTileColumns, end - column);
      for (int64_t row = 0; row < rows; row += kTileRows) {
        const int64_t height = std::min(kTileRows, rows - row);
        const Element* const corner = from + column * stride + first + row;
        const int64_t fours_of_columns = width / 4 * 4, fours_of_rows = height / 4 * 4;
        for (int64_t c = 0; c < fours_of_columns; c += 4) {
          for (int64_t r = 0; r < fours_of_rows; r += 4) {
            TransposeFour(corner + c * stride + r, stride, &tile[r][c], kTileColumns);
          }
        }
        for (int64_t c = 0; c < width; ++c) {
          for (int64_t r = c < fours_of_columns ? fours_of_rows : 0; r < height; ++r) {
            tile[r][c] = corner[c * stride + r];
          }
        }
        for (int64_t r = 0; r < height; ++r) std::copy_n(tile[r], width, to + (row + r) * columns + column);
      }
    }
  });
}

template <typename Element>
absl::Status VisitTransposed(const at::Tensor& matrix, const ElementVisitor& visit) {
  const int64_t columns = matrix.size(1), size = static_cast<int64_t>(sizeof(Element));
  const int64_t most = std::max(kTileRows, kBlockBytes / (columns * size) / kTileRows * kTileRows);
  std::vector<Element> block(std::min(most, matrix.size(0)) * columns);
  for (int64_t first = 0; first < matrix.size(0); first += most) {
    const int64_t rows = std::min(most, matrix.size(0) - first);
    CopyRows(static_cast<const Element*>(matrix.const_data_ptr()), matrix.stride(1), columns, first, rows,
             block.data());
    RETURN_IF_ERROR(visit({reinterpret_cast<const char*>(block.data()), static_cast<size_t>(rows * columns * size)},
                          /*lasts=*/false));
  }
  return absl::OkStatus();
}

// Of a tensor whose elements lie in another order: copies of its parts along the first dimension that has several.
absl::Status VisitCopies(const at::Tensor& tensor, const ElementVisitor& visit) {
  int64_t axis = 0;
  while (axis + 1 < tensor.dim() && tensor.size(axis) == 1) ++axis;
  const int64_t most = std::max<int64_t>(1, kBlockBytes * tensor.size(axis) / static_cast<int64_t>(tensor.nbytes()));
  for (int64_t first = 0; first < tensor.size(axis); first += most) {
    const at::Tensor part = tensor.narrow(axis, first, std::min(most, tensor.size(axis) - first)).contiguous();
    RETURN_IF_ERROR(visit({static_cast<const char*>(part.const_data_ptr()), part.nbytes()}, /*lasts=*/false));
  }
  return absl::OkStatus();
}

absl::Status WriteElements(const at::Tensor& tensor, Writer& out) {
  return VisitElements(
      tensor, [&](absl::string_view bytes, bool lasts) { return lasts ? out.WriteLasting(bytes) : out.Write(bytes); });
}

absl::Status WriteConstants(const Model& model, const std::vector<StoredConstant>& constants, Writer& out,
                            const DataFile* data) {
  uint64_t end = 0;  // Of the data file.
  for (size_t i = 0; i < constants.size(); ++i) {
    const at::Tensor& tensor = model.tensors[i];
    RETURN_IF_ERROR(out.Write(constants[i].head));
    if (!constants[i].offset) {
      RETURN_IF_ERROR(WriteElements(tensor, out));
      continue;
    }
    RETURN_IF_ERROR(data->out.Write(std::string(*constants[i].offset - end, '\0')));
    RETURN_IF_ERROR(WriteElements(tensor, data->out));
    end = *constants[i].offset + tensor.nbytes();
  }
  return absl::OkStatus();
}

onnx_file::ModelProto HeadOf(const ModelFacts& facts) {
  onnx_file::ModelProto head;
  // That in which the opset was released.
  head.set_ir_version(facts.opset < 19 ? 8 : facts.opset < 21 ? 9 : 10);
  head.set_producer_name("modelport");
  head.set_producer_version(facts.producer_version);
  if (!facts.doc.empty()) head.set_doc_string(facts.doc);
  onnx_file::OperatorSetIdProto& opset = *head.add_opset_import();
  opset.set_domain("");
  opset.set_version(facts.opset);
  return head;
}

}  // namespace

absl::Status VisitElements(const at::Tensor& tensor, const ElementVisitor& visit) {
  if (tensor.dim() == 2 && tensor.stride(0) == 1 && tensor.stride(1) >= tensor.size(0) && IsLarge(tensor)) {
    if (tensor.element_size() == 4) return VisitTransposed<uint32_t>(tensor, visit);
    if (tensor.element_size() == 2) return VisitTransposed<uint16_t>(tensor, visit);
  }
  if (tensor.is_contiguous()) {
    return visit({static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}, /*lasts=*/true);
  }
  return VisitCopies(tensor, visit);
}

bool FitsOneFile(const Model& model) {
  return GraphSize(model.graph.SerializeAsString(), StoreConstants(model, "")) <= kMostBytes;
}

bool HasLargeConstants(const Model& model) { return std::any_of(model.tensors.begin(), model.tensors.end(), IsLarge); }

absl::Status WriteModel(
    const Model& model, const ModelFacts& facts,
    const std::function<absl::StatusOr<std::vector<std::pair<std::string, std::string>>>()>& metadata, Writer& out,
    const DataFile* data) {
  const std::string code = model.graph.SerializeAsString();
  const std::vector<StoredConstant> constants = StoreConstants(model, data == nullptr ? "" : data->name);
  const uint64_t size = GraphSize(code, constants);
  if (size > kMostBytes) {
    return absl::UnimplementedError(absl::StrCat("the file would have ", size >> 20, " MB",
                                                 data == nullptr ? "" : " without the weights beside it",
                                                 ", and an ONNX file holds less than 2048 MB"));
  }
  RETURN_IF_ERROR(out.Write(HeadOf(facts).SerializeAsString()));
  RETURN_IF_ERROR(out.Write(FieldHeader(onnx_file::ModelProto::kGraphFieldNumber, size)));
  RETURN_IF_ERROR(out.Write(code));
  RETURN_IF_ERROR(WriteConstants(model, constants, out, data));
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
