#include "tools/parity/check/compared_model.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/lint/script_file.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/proof/example.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/parity/check/reference_names.h"

namespace modelport {
namespace {

absl::StatusOr<torch::jit::Module> LoadScript(absl::string_view bytes) {
  ASSIGN_OR_RETURN(ScriptFile script, LoadForeignScript(bytes));
  script.module.eval();
  return std::move(script.module);
}

absl::StatusOr<torch::jit::Module> LoadScript(const std::string& path, const MappedFile& file) {
  absl::StatusOr<torch::jit::Module> module = LoadScript(file.bytes());
  if (!module.ok()) return Annotate(module.status(), path);
  RETURN_IF_ERROR(file.CheckUnchanged());
  return module;
}

// A call of the model.
struct ModelCall {
  std::string method;
  std::vector<c10::IValue> arguments;
};

absl::StatusOr<ModelCall> FirstExample(const ComparedModel& model) {
  if (model.examples.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(model.name, " has no example to be called with: ",
                     model.is_artifact ? "give --reference=FILE, a safetensors file, whose call is made"
                                       : "give it one under `examples` of its plugin.yaml"));
  }
  ASSIGN_OR_RETURN(std::vector<c10::IValue> inputs, ExampleInputs(model.module, model.examples.front()));
  return ModelCall{model.examples.front().type, std::move(inputs)};
}

// The call that `reference` records, or without one the first example.
absl::StatusOr<ModelCall> FindCall(const ComparedModel& model, const absl::optional<Reference>& reference) {
  if (!reference) return FirstExample(model);
  ASSIGN_OR_RETURN(std::vector<c10::IValue> arguments, FindArguments(model.module, *reference, Precision::kAny));
  return ModelCall{reference->method, std::move(arguments)};
}

// What `script` computes for the first example of `model`, whose arguments may have other names there.
absl::StatusOr<Reference> RecordScript(const torch::jit::Module& script, const ComparedModel& model,
                                       const std::string& path) {
  ASSIGN_OR_RETURN(const ModelCall call, FirstExample(model));
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(Reference reference, RecordReference(script, call.method, call.arguments, path, model.name));
  reference.arguments.clear();
  const std::vector<c10::Argument>& schema = model.module.get_method(call.method).function().getSchema().arguments();
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    reference.arguments[schema[i + 1].name()] = call.arguments[i];
  }
  return reference;
}

absl::StatusOr<Reference> LoadUnpaired(const std::string& path, const ComparedModel& model) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (CheckScriptFile(file->bytes()).ok()) {
    ASSIGN_OR_RETURN(const torch::jit::Module script, LoadScript(path, *file));
    return RecordScript(script, model, path);
  }
  ASSIGN_OR_RETURN(Reference reference, ReadReference(path));
  if (model.is_artifact || reference.model == model.name) return reference;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": is a reference of ", Brief(reference.model), ", not of ", model.name));
}

}  // namespace

absl::StatusOr<ComparedModel> LoadComparedArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadScript(path, *file));
  return ComparedModel{.name = path, .module = std::move(module), .is_artifact = true};
}

absl::StatusOr<Reference> LoadReference(const std::string& path, const std::string& names, const ComparedModel& model) {
  ASSIGN_OR_RETURN(Reference reference, LoadUnpaired(path, model));
  if (names.empty()) return reference;
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(names));
  ASSIGN_OR_RETURN(const ReferenceNames pairs, ParseReferenceNames(names, file->bytes()));
  RETURN_IF_ERROR(RenameReference(pairs, reference));
  return reference;
}

absl::StatusOr<Reference> RecordModel(const ComparedModel& model, const absl::optional<Reference>& reference,
                                      const std::string& path) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, reference));
  const c10::InferenceMode inference;
  return RecordReference(model.module, call.method, call.arguments, path, model.name);
}

absl::StatusOr<absl::optional<OperatorRun>> FindNonfinite(const ComparedModel& model,
                                                          const absl::optional<Reference>& reference) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, reference));
  const c10::InferenceMode inference;
  return FindNonfiniteOperator(model.module, call.method, call.arguments);
}

absl::StatusOr<absl::optional<OperatorRun>> FindNonfiniteOperator(const torch::jit::Module& module,
                                                                  const std::string& method,
                                                                  const std::vector<c10::IValue>& inputs) {
  const auto found = module.find_method(method);
  if (!found) return absl::NotFoundError(absl::StrCat("no method ", method));
  absl::Status status;
  // The exception is caught within the trace, which would not end otherwise.
  std::vector<OperatorRun> runs = TraceOperators([&] { status = CatchTorch([&] { (*found)(inputs); }); });
  const auto first = std::find_if(runs.begin(), runs.end(), [](const OperatorRun& run) { return run.makes_nonfinite; });
  if (first != runs.end()) return absl::make_optional(std::move(*first));
  RETURN_IF_ERROR(status);
  return absl::nullopt;
}

}  // namespace modelport
