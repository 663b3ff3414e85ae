#ifndef MODELPORT_TESTS_SUPPORT_EXPORTED_MODULE_H_
#define MODELPORT_TESTS_SUPPORT_EXPORTED_MODULE_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/build/build_artifact.h"
#include "artifact/export/export_model.h"
#include "artifact/request/artifact_request.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/registry.h"

namespace modelport {

// Exports `model` with seeded weights into the test's temporary folder, and loads the file back. `change` may set
// other options of the export.
absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::function<void(ExportOptions&)>& change);

// The same for a target.
absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::string& target = "libtorch");

// What `request` asks for, with empty tensors: enough to look at its code.
absl::StatusOr<Artifact> BuildWithoutWeights(const ArtifactRequest& request);

// The arguments of the first example of `model`, for `module`, which is an export of it.
absl::StatusOr<std::vector<c10::IValue>> FirstExample(const Registry& registry, const std::string& model,
                                                      const torch::jit::Module& module);

// The message of what `forward` throws for these arguments; "" if it returns.
std::string ErrorOfForward(torch::jit::Module module, const std::vector<c10::IValue>& arguments);

// The paths of the modules of `a` and `b` that differ in their methods' text, the functions that these call, their
// settings or their tensors, and of those that one of the two lacks, with the modules around them. "" is the root.
std::set<std::string> DifferentModules(const torch::jit::Module& a, const torch::jit::Module& b);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_EXPORTED_MODULE_H_
