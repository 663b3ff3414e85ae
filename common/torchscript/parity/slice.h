#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_SLICE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_SLICE_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// tensor[slice] as numpy has it, for slices of the form "[a:b, ::c, :]" with numbers from 0 and steps from 1; "" is the
// whole tensor. InvalidArgument for another form, or more dimensions than the tensor has.
absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_SLICE_H_
