// A Reference is a call of a model as its upstream made it: what went in, what passed and what came out.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_H_

#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/writer.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// What modules hold beside tensors, by path and name: {"blocks.0.norm1": {"eps": 1e-6}}. Booleans, numbers, texts, None
// and lists of these.
using Settings = std::map<std::string, std::map<std::string, c10::IValue>>;

// The constants and attributes of `module` and its submodules.
Settings FindSettings(const torch::jit::Module& module);

// A setting that differs.
struct SettingDifference {
  std::string path;
  std::string name;
  std::string expected;  // As text: "1e-06".
  std::string actual;
};

struct SettingsComparison {
  int equal = 0;
  std::vector<SettingDifference> differences;
};

// Whether two values are the same setting: numbers by their values, tuples as lists, a number as a list of nothing
// else.
bool SameSetting(const c10::IValue& a, const c10::IValue& b);

// "1e-06", "[3, 7]".
std::string SettingText(const c10::IValue& value);

// Whether `value` is what a setting can be.
bool IsSetting(const c10::IValue& value);

// Compares the settings that both sides have, by SameSetting.
SettingsComparison CompareSettings(const Settings& expected, const Settings& actual);

struct Reference {
  std::string path;   // Of the file, for messages.
  std::string model;  // The variant that was called: "model_small".
  std::string method = "forward";
  std::map<std::string, c10::IValue> arguments = {};  // Tensors and other values, by the name of the argument.
  // Attributes of the module that are set for the call, such as the knobs of an artifact for a host; numbers and
  // booleans, by name.
  std::map<std::string, c10::IValue> knobs = {};
  // Tensors that came out, in the order of the file: "output" is the method's result, "output.depth" an element of it
  // (a key of a dictionary, an index of a list or tuple, or several with dots between), and any other name a stage as
  // ParseStage reads it: "blocks.2" is what that submodule returned.
  NamedTensors expected = {};
  std::map<std::string, std::string> slices = {};  // Which part of a tensor is expected, by its name; see Slice().
  // What rounding amounts to in upstream's own model, by the name of a tensor: the largest difference between it and
  // what the model computes in float64. No text of a plugin moves it.
  std::map<std::string, double> noise = {};
  Settings settings = {};  // Of upstream's modules.
  // What went into calls beside tensors, by the name of the stage that the call returns and of the argument:
  // {"blocks.2":
  // {"reshape": true}}.
  Settings values = {};
};

// The names of the arguments of a call that `module` makes; empty if it has no such submodule or method.
std::vector<std::string> ArgumentNames(const torch::jit::Module& module, const Stage& call);

// Whether this is the name of a result in a reference, and not of a stage.
bool IsOutput(absl::string_view name);

// Reads a safetensors file. A tensor "input.NAME" is the argument NAME, every other one is expected. The metadata has
// `model` and `call`, in JSON: {"method": "forward", "arguments": {"use_ray_pose": true}, "knobs": {"focal": 500.0}},
// all fields optional, with the arguments that are no tensors: null, booleans, numbers, texts and lists of numbers. It
// may have, in JSON,
// `slices`: {"blocks.2": "[:, ::4, :]"}, `noise`: {"blocks.2": 1.5e-6}, `settings`: {"blocks.0.norm1": {"eps":
// 1e-6}}, and `values`: {"blocks.2": {"reshape": true}}.
//   InvalidArgument  no safetensors file; no or wrong metadata; an argument that is given twice; nothing is expected; a
//                    tensor that is not finite
//   others           as OpenCheckpoint
absl::StatusOr<Reference> ReadReference(const std::string& path);

// Writes `reference` so that ReadReference reads it. Unimplemented for a value that the file cannot hold.
absl::Status WriteReference(const Reference& reference, Writer& out);

// Writes `reference` to the file `path`. Fails as this and as OutputFile does (common/io/output_file.h).
absl::Status WriteReference(const Reference& reference, const std::string& path);

// Calls `method` of `module` and makes a reference of it: the arguments, all that passes between its submodules, the
// result, and the settings of all modules. `path` and `model` become the reference's.
//   FailedPrecondition  the module fails on these inputs, or has no such method
absl::StatusOr<Reference> RecordReference(const torch::jit::Module& module, const std::string& method,
                                          const std::vector<c10::IValue>& inputs, const std::string& path,
                                          const std::string& model);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_H_
