#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport::onnx {

// Behind the name of a weight that lies in a file transposed, as the code of a linear layer takes it.
inline constexpr absl::string_view kTransposedEnding = ".T";

// A constant of a file.
struct FileTensor {
  std::vector<int64_t> shape;
  int type = 0;                  // As TensorProto::DataType numbers it.
  absl::string_view bytes = {};  // Its elements, in the file; of one that is external, in the data file.
  // Where they lie in the data file, in bytes, if they are there.
  bool is_external = false;
  uint64_t offset = 0, length = 0;
};

// What a file says: all that Modelport writes into it but its nodes.
struct FileModel {
  std::map<std::string, FileTensor> constants;  // By their names.
  std::map<std::string, std::string> metadata;

  // Whether constants lie in a data file.
  bool has_external() const;
};

// Reads an untrusted file, whose bytes are `bytes`; what it returns lies in them. The elements of external constants
// are left out; these have to lie in the file `data_name`, and have as many bytes as their shapes say.
//   DataLoss  truncated, no ONNX file, or one with what Modelport does not write: tensors in any other file, sparse
//             tensors, functions
absl::StatusOr<FileModel> ReadModel(absl::string_view bytes, absl::string_view data_name);

// Gives the external constants of `model` their elements, which lie in `data`, the bytes of the data file.
//   DataLoss  that is too short, or two constants overlap in it
absl::Status FindElements(absl::string_view data, FileModel& model);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_READ_MODEL_H_
