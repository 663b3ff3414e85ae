#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "artifact/format/onnx/graph.h"
#include "common/io/writer.h"

namespace modelport::onnx {

// What a file says of itself.
struct ModelFacts {
  std::string producer_version;
  std::string doc;
  int opset = kOpset;
};

// The file that has a model's large constants, those of 1 KiB and more: external data, in ONNX's word. Each begins at a
// multiple of 4096 bytes, so that runtimes can map it.
struct DataFile {
  std::string name;  // By which the model's file names it; both lie in one folder.
  Writer& out;
};

// Takes bytes of elements. `lasts`: they stay as they are as long as the tensor that has them.
using ElementVisitor = std::function<absl::Status(absl::string_view bytes, bool lasts)>;

// Gives the elements of `tensor` to `visit` as a file has them, in one piece or in several, until that fails. A large
// tensor whose elements lie in another order is not copied as a whole.
absl::Status VisitElements(const at::Tensor& tensor, const ElementVisitor& visit);

// Whether the file of `model` has less than 2 GB, more than which its format cannot hold, without a data file.
bool FitsOneFile(const Model& model);

// Whether `model` has large constants.
bool HasLargeConstants(const Model& model);

// Writes the file of `model` to `out`, and its large constants to `data` if that is not null: equal models give equal
// bytes. Constants are not collected in memory; one that is contiguous goes to one call of WriteLasting. `metadata`
// makes the file's entries of key and text, and is called after everything else has been written.
//   Unimplemented  the file would have 2 GB or more
absl::Status WriteModel(
    const Model& model, const ModelFacts& facts,
    const std::function<absl::StatusOr<std::vector<std::pair<std::string, std::string>>>()>& metadata, Writer& out,
    const DataFile* data = nullptr);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_
