#include "common/torchscript/parity/record_reference.h"

#include <torch/csrc/jit/api/module.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/capture.h"

namespace modelport {

absl::StatusOr<Reference> RecordReference(const torch::jit::Module& module, const std::string& method,
                                          const std::vector<c10::IValue>& inputs, const std::string& path,
                                          const std::string& model) {
  Reference reference = {.path = path, .model = model, .method = method};
  absl::StatusOr<NamedTensors> tensors =
      CaptureTensors(module, method, inputs, [](const ObservedTensor&) { return true; });
  if (!tensors.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": ", Brief(method), " fails on these inputs: ", tensors.status().message()));
  }
  reference.expected = *std::move(tensors);
  const std::vector<c10::Argument>& arguments = module.get_method(method).function().getSchema().arguments();
  for (size_t i = 0; i < inputs.size(); ++i) reference.arguments[arguments[i + 1].name()] = inputs[i];
  reference.settings = FindSettings(module);
  return reference;
}

}  // namespace modelport
