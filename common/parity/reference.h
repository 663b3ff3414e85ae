// A Reference is a call of a model as its upstream made it: what went in and what came out.
#ifndef MODELPORT_COMMON_PARITY_REFERENCE_H_
#define MODELPORT_COMMON_PARITY_REFERENCE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace modelport {

struct Reference {
  std::string path;   // Of the file, for messages.
  std::string model;  // The variant that was called: "dav2_vits".
  std::string method = "forward";
  std::map<std::string, c10::IValue> arguments;  // Tensors and other values, by the name of the argument.
  // Tensors that came out, in the order of the file: "output" is the method's result, "output.depth" an element of it
  // (a key of a dictionary, an index of a list or tuple, or several with dots between), and any other name a stage as
  // ParseStage reads it: "blocks.2" is what that submodule returned.
  std::vector<std::pair<std::string, at::Tensor>> expected;
};

// Reads a safetensors file. A tensor "input.NAME" is the argument NAME, every other one is expected. The metadata has
// `model` and `call`, in JSON: {"method": "forward", "arguments": {"use_ray_pose": true}}, both fields optional, with
// the arguments that are no tensors: null, booleans, numbers, texts and lists of numbers.
//   InvalidArgument  no safetensors file; no or wrong metadata; an argument that is given twice; nothing is expected; a
//                    tensor that is not finite
//   others           as OpenCheckpoint
absl::StatusOr<Reference> ReadReference(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_PARITY_REFERENCE_H_
