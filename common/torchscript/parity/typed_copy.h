#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_TYPED_COPY_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_TYPED_COPY_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A copy of `module` whose floating tensors have the dtype `type`, at every depth, but for submodules of whose paths
// `keeps` is true: these stay as they are, with all below them. The copy shares classes, methods and all other values
// with `module`, which does not change. May throw as LibTorch does.
torch::jit::Module TypedCopy(
    const torch::jit::Module& module, at::ScalarType type,
    absl::FunctionRef<bool(absl::string_view path)> keeps = [](absl::string_view) { return false; });

// `values` with all floating tensors in the dtype `type`, those in lists, tuples and dictionaries too.
std::vector<c10::IValue> TypedCopy(const std::vector<c10::IValue>& values, at::ScalarType type);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_TYPED_COPY_H_
