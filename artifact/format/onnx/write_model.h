#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/format/onnx/graph.h"
#include "common/io/writer.h"

namespace modelport::onnx {

// What a file says of itself.
struct ModelFacts {
  std::string producer_version;
  std::string doc;
  int opset = kOpset;
};

// Writes the file of `model` to `out`: equal models give equal bytes. Constants are not collected in memory; one that
// is contiguous goes to one call of WriteLasting. `metadata` makes the file's entries of key and text, and is called
// after everything else has been written.
//   Unimplemented  the file would have 2 GB or more, which its format cannot hold
absl::Status WriteModel(
    const Model& model, const ModelFacts& facts,
    const std::function<absl::StatusOr<std::vector<std::pair<std::string, std::string>>>()>& metadata, Writer& out);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_WRITE_MODEL_H_
