// What code does with lists, tuples, dictionaries, attributes and the shapes of tensors: it vanishes in a conversion.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_STRUCTURE_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_STRUCTURE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/format/onnx/aten_call.h"
#include "artifact/format/onnx/value.h"

namespace modelport::onnx {

// The depth of what no code may change: it is no depth of a graph.
inline constexpr int kUnchangeable = -1;

// A value that LibTorch has, whose lists and dictionaries are copied and belong to this depth.
Value FromIValue(const c10::IValue& value, int depth);

// Unimplemented: what the code of `node` does. Names its line.
absl::Status ErrorAt(const torch::jit::Node& node, absl::string_view message);

// The results of `node` for the values `in`, if it is such an operator; else nothing.
//   Unimplemented  names the line and the reason
absl::StatusOr<absl::optional<std::vector<Value>>> RunStructure(const torch::jit::Node& node,
                                                                const std::vector<Value>& in, const Context& context);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_STRUCTURE_H_
