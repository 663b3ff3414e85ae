#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_CONVERT_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_CONVERT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/format/onnx/graph.h"
#include "artifact/format/onnx/number.h"
#include "common/module_tree/entry_point.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport::onnx {

// A port of an entry point that is an input or an output of the file.
struct ConvertedPort {
  std::string name;
  std::string key = {};  // Of an output in a dictionary: the port's name.
  // Of an input its place among the method's arguments; of an output its place in a tuple, -1 where there is none.
  int place = -1;
  // Of an input.
  std::vector<Number> shape = {};
};

struct ConvertedModel {
  Model model;
  std::vector<ConvertedPort> inputs;
  std::vector<ConvertedPort> outputs;
};

// The method of `entry_point` of `module` as a graph of this opset, 17 to 22, made by running its code with what is
// known before its inputs are: weights, constants, and the sizes that the entry point states, of which letters stay
// free. What depends on nothing else vanishes. Arguments that have a default keep it. The constants borrow from the
// module. Inputs and outputs are float32 where the module's are of fewer bits; what it computes keeps its type, but for
// sums of many numbers, which are in float32, as in ATen.
//
// A statement `raise` below a condition on sizes states what the model takes: the graph is right where the condition
// does not hold, and does not check it.
// `sizes` are those that letters have in the file.
//   InvalidArgument  one of its letters is in no input
//   Unimplemented    the code does what has no form here; names its line, the operator and the reason
absl::StatusOr<ConvertedModel> Convert(const torch::jit::Module& module, const EntryPoint& entry_point,
                                       const std::map<std::string, int64_t>& sizes = {}, int opset = kOpset);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_CONVERT_H_
