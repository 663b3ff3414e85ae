#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_

#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
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

// The dtype of the module's weights; nullopt if none are floating.
absl::optional<at::ScalarType> WeightType(const torch::jit::Module& module);

// The error for a reference that does not fit the module.
absl::Status WrongReference(const Reference& reference, absl::string_view message);

// The dtype of the lowest precision among the floating tensors that are expected; float32 if there are none.
at::ScalarType ReferencePrecision(const Reference& reference);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_REFERENCE_CALL_H_
