#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_NODE_RULES_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_NODE_RULES_H_

#include "absl/status/status.h"
#include "artifact/format/onnx/graph.h"
#include "targets/target/target.h"

namespace modelport::onnx {

// Makes sure that the host takes each node of the graph of `model` and of the graphs within, by its rules for nodes.
//   FailedPrecondition  names the first that it does not take, and what it takes
absl::Status CheckNodes(const Target& target, const Model& model);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_NODE_RULES_H_
