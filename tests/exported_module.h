#ifndef MODELPORT_TESTS_EXPORTED_MODULE_H_
#define MODELPORT_TESTS_EXPORTED_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "registry/registry.h"

namespace modelport {

// Exports `model` with seeded weights into the test's temporary folder, and loads the file back.
absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::string& target = "libtorch");

}  // namespace modelport

#endif  // MODELPORT_TESTS_EXPORTED_MODULE_H_
