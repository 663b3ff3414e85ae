// Modules of models/transforms for tests.
#ifndef MODELPORT_TESTS_LAYERS_TRANSFORM_MODULE_H_
#define MODELPORT_TESTS_LAYERS_TRANSFORM_MODULE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Builds the module of a call such as CenterCrop(224), for `runtime` or, if that is null, for this LibTorch. Makes sure
// that the runtime can run it. `types` is the text of a file of more module types; it may be empty.
absl::StatusOr<torch::jit::Module> BuildTransform(const std::string& call, const Runtime* runtime = nullptr,
                                                  const std::string& types = "");

// Writes the module as an artifact is written, and loads it.
absl::StatusOr<torch::jit::Module> SavedAndLoaded(const torch::jit::Module& module, const Runtime* runtime);

// An image of seeded values in 0..1, or of 0 to 255 in uint8.
at::Tensor SeededImage(const std::vector<int64_t>& shape, at::ScalarType dtype);

}  // namespace modelport

#endif  // MODELPORT_TESTS_LAYERS_TRANSFORM_MODULE_H_
