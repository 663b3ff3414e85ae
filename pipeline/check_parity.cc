#include "pipeline/check_parity.h"

#include <c10/core/InferenceMode.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/archive/outside_calls.h"
#include "common/io/mapped_file.h"
#include "common/lint/script_file.h"
#include "common/parity/find_nonfinite.h"
#include "common/parity/record_reference.h"
#include "common/parity/reference_call.h"
#include "common/proof/example.h"
#include "common/runtime/operators.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

absl::StatusOr<torch::jit::Module> LoadScript(absl::string_view bytes) {
  ASSIGN_OR_RETURN(ScriptFile script, ReadScriptFile(bytes));
  RETURN_IF_ERROR(CheckNoOutsideCalls(CollectOperators(script.module)));
  script.module.eval();
  return std::move(script.module);
}

// A call of the model.
struct ModelCall {
  std::string method;
  std::vector<c10::IValue> arguments;
};

absl::StatusOr<ModelCall> FirstExample(const BuiltModel& model, const std::string& name) {
  if (model.examples.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " has no example to be called with: give it one under `examples` of its plugin.yaml"));
  }
  ASSIGN_OR_RETURN(std::vector<c10::IValue> inputs, ExampleInputs(model.module, model.examples.front()));
  return ModelCall{model.examples.front().type, std::move(inputs)};
}

// The call that `reference` records, or without one the first example.
absl::StatusOr<ModelCall> FindCall(const BuiltModel& model, const std::string& name,
                                   const absl::optional<Reference>& reference) {
  if (!reference) return FirstExample(model, name);
  ASSIGN_OR_RETURN(std::vector<c10::IValue> arguments, FindArguments(model.module, *reference, Precision::kAny));
  return ModelCall{reference->method, std::move(arguments)};
}

}  // namespace

absl::StatusOr<Reference> LoadReference(const std::string& path, const std::string& name, const BuiltModel& model) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (CheckScriptFile(file->bytes()).ok()) {
    const absl::StatusOr<torch::jit::Module> script = LoadScript(file->bytes());
    if (!script.ok()) return Annotate(script.status(), path);
    ASSIGN_OR_RETURN(const ModelCall call, FirstExample(model, name));
    const c10::InferenceMode inference;
    return RecordReference(*script, call.method, call.arguments, path, name);
  }
  ASSIGN_OR_RETURN(Reference reference, ReadReference(path));
  if (reference.model == name) return reference;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": is a reference of ", Brief(reference.model), ", not of ", name));
}

absl::StatusOr<Reference> RecordModel(const BuiltModel& model, const std::string& name,
                                      const absl::optional<Reference>& reference, const std::string& path) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, name, reference));
  const c10::InferenceMode inference;
  return RecordReference(model.module, call.method, call.arguments, path, name);
}

absl::StatusOr<absl::optional<OperatorRun>> FindNonfinite(const BuiltModel& model, const std::string& name,
                                                          const absl::optional<Reference>& reference) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, name, reference));
  const c10::InferenceMode inference;
  return FindNonfiniteOperator(model.module, call.method, call.arguments);
}

absl::StatusOr<ParityReport> CheckParity(const torch::jit::Module& module, const std::string& name,
                                         const Reference& reference, CompareOptions options, bool bisects) {
  options.lenient = true;
  ParityReport report = {.model = name, .reference = reference.path};
  report.settings = CompareSettings(reference.settings, FindSettings(module));
  ASSIGN_OR_RETURN(report.comparison, CompareReference(module, reference, options));
  report.divergence = FindDivergence(report.comparison);
  if (bisects) {
    options.inject_all = true;
    ASSIGN_OR_RETURN(const ReferenceComparison forced, CompareReference(module, reference, options));
    report.suspects = FindSuspects(forced, report.settings.differences);
  }
  return report;
}

}  // namespace modelport
