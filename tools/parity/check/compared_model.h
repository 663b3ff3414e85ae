#ifndef MODELPORT_TOOLS_PARITY_CHECK_COMPARED_MODEL_H_
#define MODELPORT_TOOLS_PARITY_CHECK_COMPARED_MODEL_H_

#include <ATen/core/ivalue.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/proof/operator_trace.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A model to be compared with a reference.
struct ComparedModel {
  std::string name;                                  // Of the variant, or the path of an artifact.
  std::shared_ptr<const torch::jit::Module> module;  // Never null.
  std::vector<Call> examples = {};                   // Calls of it, none of an artifact.
  std::map<std::string, c10::IValue> knobs = {};     // Those that were set, by name.
  bool is_artifact = false;
};

// The TorchScript file `path`. Its code is run in this process, unless it has operators that reach files or other
// processes.
//   InvalidArgument     a file of another kind
//   FailedPrecondition  its code reaches outside, or it changed while it was read
absl::StatusOr<ComparedModel> LoadComparedArtifact(const std::string& path);

// The reference in the file `path`: a safetensors file (common/torchscript/parity/reference.h), or a TorchScript file,
// which is loaded as an artifact and called as the first example of `model` says. `names`, if it is not "", is a file
// of names by which it is paired with the model (ParseReferenceNames).
//   InvalidArgument     a file of another kind; a wrong file of names
//   FailedPrecondition  a reference of another model, if `model` is no artifact; TorchScript that reaches outside or
//                       fails
absl::StatusOr<Reference> LoadReference(const std::string& path, const std::string& names, const ComparedModel& model);

// Sets the knobs of `reference` in a copy of the module, which shares its submodules and weights, if there are any.
//   InvalidArgument  the model has no such attribute, or one of another type
absl::Status SetKnobs(const Reference& reference, ComparedModel& model);

// A reference of the model itself, which sets the knobs that are set, with the call of `reference`, or without one that
// of the first example. `path` is its file, for messages.
absl::StatusOr<Reference> RecordModel(const ComparedModel& model, const absl::optional<Reference>& reference,
                                      const std::string& path);

// The first operator that makes a NaN or an infinity, with the call of `reference` or of the first example.
absl::StatusOr<absl::optional<OperatorRun>> FindNonfinite(const ComparedModel& model,
                                                          const absl::optional<Reference>& reference);

// Calls `method` of `module` and returns the first operator that makes a NaN or an infinity of finite inputs; nullopt
// if none does.
//   NotFound  no such method
//   Internal  the module fails
absl::StatusOr<absl::optional<OperatorRun>> FindNonfiniteOperator(const torch::jit::Module& module,
                                                                  const std::string& method,
                                                                  const std::vector<c10::IValue>& inputs);

// Pairs the names of a reference with those of a model that calls its modules and settings otherwise.

// What the model calls a module or a setting of the reference.
struct PairedName {
  std::string theirs;                                // "encoder.layer", "num_heads"
  absl::optional<std::string> ours = absl::nullopt;  // nullopt: it is left out.
};

struct ReferenceNames {
  std::string path = "";                  // Of the file, for messages.
  std::vector<PairedName> modules = {};   // Paths; a path stands for all below it, the longest one that fits is taken.
  std::vector<PairedName> settings = {};  // Names, in all modules.
};

// Parses the YAML text of the file `path`. Both maps are optional, null leaves a module or a setting out:
//   modules: {encoder.layer: blocks, pooler: null}
//   settings: {num_attention_heads: heads}
// InvalidArgument names each line that is wrong.
absl::StatusOr<ReferenceNames> ParseReferenceNames(const std::string& path, absl::string_view text);

// Gives the stages and settings of `reference` the model's names.
//   InvalidArgument  a name that the reference does not have, or two that become one; nothing has changed then
absl::Status RenameReference(const ReferenceNames& names, Reference& reference);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_COMPARED_MODEL_H_
