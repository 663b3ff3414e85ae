#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport::onnx {

// A constant of a file.
struct FileTensor {
  std::vector<int64_t> shape;
  int type = 0;             // As TensorProto::DataType numbers it.
  absl::string_view bytes;  // Its elements, in the file.
};

// What a file says: all that Modelport writes into it but its nodes.
struct FileModel {
  std::map<std::string, FileTensor> constants;  // By their names.
  std::map<std::string, std::string> metadata;
};

// Reads an untrusted file, whose bytes are `bytes`; what it returns lies in them.
//   DataLoss  truncated, no ONNX file, or one with what Modelport does not write: tensors in other files, which are
//             never opened, sparse tensors, functions
absl::StatusOr<FileModel> ReadModel(absl::string_view bytes);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_
