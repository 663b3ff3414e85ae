// What a reference says of one call of a model: its arguments, and what each stage is expected to give.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Whether a reference must have the dtype of the module, or may be in another precision.
enum class Precision { kEqual, kAny };

// The arguments with which the method of `reference` is called on `module`, defaults filled in. With Precision::kAny
// the floating ones get the dtype of the module's weights.
//   InvalidArgument  no such method or argument; an argument that is missing or of another type or dtype
absl::StatusOr<std::vector<c10::IValue>> FindArguments(const torch::jit::Module& module, const Reference& reference,
                                                       Precision precision);

// `module` with the knobs of `reference` set: a copy, which shares its submodules and weights, if there are any.
//   InvalidArgument  it has no such attribute, or one of another type
absl::StatusOr<torch::jit::Module> WithKnobs(const torch::jit::Module& module, const Reference& reference);

// The dtype of the module's weights; nullopt if none are floating.
absl::optional<at::ScalarType> WeightType(const torch::jit::Module& module);

// The error for a reference that does not fit the module.
absl::Status WrongReference(const Reference& reference, absl::string_view message);

// The dtype of the lowest precision among the floating tensors that are expected; float32 if there are none.
at::ScalarType ReferencePrecision(const Reference& reference);

// What a reference expects, to be looked up while a module runs.
class ExpectedTensors {
 public:
  // InvalidArgument if a name is neither an output nor a stage.
  static absl::StatusOr<ExpectedTensors> Index(const Reference& reference);

  // The name in the reference of what passes `point`; null if it expects nothing there.
  const std::string* Name(const ObservedTensor& point) const;

  // What passes `point` in the reference, in the floating dtype and the shape of `tensor`; undefined if that is
  // unknown, also where a slice is all that is known, or if it has other elements than `tensor` has places for, or
  // another kind of dtype.
  at::Tensor Replacement(const ObservedTensor& point, const at::Tensor& tensor) const;

  // What `call` returned in the reference, a tensor, in the dtype `type` if both are floating; undefined as above.
  at::Tensor Result(const Stage& call, absl::optional<at::ScalarType> type) const;

  // Whether the reference tells of no other call of the submodule.
  bool IsOnlyCall(const Stage& call) const;

  // The stages by their names in the reference.
  const std::map<std::string, Stage>& stages() const { return stages_; }

 private:
  struct Expected {
    std::string name;
    at::Tensor tensor;
    bool is_whole;
  };

  std::map<std::string, Expected> tensors_;  // By StageName, or by the name of an output.
  std::map<std::string, Stage> stages_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_
