#include "tools/parity/check/compared_model.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/archive/script_file.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/torch_status.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"

namespace modelport {
namespace {

absl::StatusOr<torch::jit::Module> LoadScript(absl::string_view bytes) {
  ASSIGN_OR_RETURN(ScriptFile script, LoadForeignScript(bytes));
  script.module->eval();
  return std::move(*script.module);
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
  ASSIGN_OR_RETURN(std::vector<c10::IValue> inputs, ExampleInputs(*model.module, model.examples.front()));
  return ModelCall{model.examples.front().type, std::move(inputs)};
}

// The call that `reference` records, or without one the first example.
absl::StatusOr<ModelCall> FindCall(const ComparedModel& model, const absl::optional<Reference>& reference) {
  if (!reference) return FirstExample(model);
  ASSIGN_OR_RETURN(std::vector<c10::IValue> arguments, FindArguments(*model.module, *reference, Precision::kAny));
  return ModelCall{reference->method, std::move(arguments)};
}

// What `script` computes for the first example of `model`, whose arguments may have other names there.
absl::StatusOr<Reference> RecordScript(const torch::jit::Module& script, const ComparedModel& model,
                                       const std::string& path) {
  ASSIGN_OR_RETURN(const ModelCall call, FirstExample(model));
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(Reference reference, RecordReference(script, call.method, call.arguments, path, model.name));
  reference.arguments.clear();
  const std::vector<c10::Argument>& schema = model.module->get_method(call.method).function().getSchema().arguments();
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

std::vector<PairedName> ReadPairs(YamlMapReader& reader, absl::string_view field, YamlProblems& problems) {
  std::vector<PairedName> pairs;
  for (const YamlValue::Field& pair : reader.TakeFields(field)) {
    PairedName name = {.theirs = pair.name};
    if (pair.value.kind == YamlValue::Kind::kText) {
      name.ours = pair.value.text;  // "" is the root.
    } else if (pair.value.kind != YamlValue::Kind::kNothing) {
      ReadText(pair.value, absl::StrCat("field \"", pair.name, "\""), &problems);  // Says what it is.
    }
    pairs.push_back(std::move(name));
  }
  return pairs;
}

// The pair of the longest path that `path` lies within; null if there is none.
const PairedName* FindPair(const std::vector<PairedName>& pairs, absl::string_view path) {
  const PairedName* found = nullptr;
  for (const PairedName& pair : pairs) {
    const bool is_longer = found == nullptr || pair.theirs.size() > found->theirs.size();
    if (is_longer && IsWithin(path, pair.theirs)) found = &pair;
  }
  return found;
}

// What the model calls the module `path`; nullopt if it is left out.
absl::optional<std::string> OurPath(const ReferenceNames& names, const std::string& path) {
  const PairedName* const pair = FindPair(names.modules, path);
  if (pair == nullptr) return path;
  if (!pair->ours) return absl::nullopt;
  const absl::string_view rest = PathBelow(path, pair->theirs);
  return rest.empty() ? *pair->ours : JoinPath(*pair->ours, rest);
}

absl::Status Wrong(const ReferenceNames& names, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(names.path, ": ", message));
}

// The beginning of `path` that has as many parts as `name` has; all of `path` if it has fewer.
absl::string_view SameLevel(absl::string_view path, absl::string_view name) {
  size_t end = path.find('.');
  for (auto dots = std::count(name.begin(), name.end(), '.'); dots > 0 && end != path.npos; --dots) {
    end = path.find('.', end + 1);
  }
  return path.substr(0, end);
}

// Makes sure that each name is one of the reference, since a name that is not is a slip that would stay unseen.
absl::Status CheckNames(const ReferenceNames& names, const Reference& reference) {
  std::set<std::string> paths, settings;
  for (const auto& [name, tensor] : reference.expected) {
    if (IsOutput(name)) continue;
    ASSIGN_OR_RETURN(Stage stage, ParseStage(name));
    paths.insert(std::move(stage.path));
  }
  for (const auto& [path, values] : reference.settings) {
    paths.insert(path);
    for (const auto& [name, value] : values) settings.insert(name);
  }
  for (const PairedName& pair : names.modules) {
    const auto is_within = [&](const std::string& path) { return SameLevel(path, pair.theirs) == pair.theirs; };
    if (std::any_of(paths.begin(), paths.end(), is_within)) continue;
    std::set<std::string> modules;
    for (const std::string& path : paths) modules.emplace(SameLevel(path, pair.theirs));
    return Wrong(names, absl::StrCat("the reference has no module ", Brief(pair.theirs),
                                     NearestHint(pair.theirs, {modules.begin(), modules.end()})));
  }
  for (const PairedName& pair : names.settings) {
    if (settings.count(pair.theirs) > 0) continue;
    return Wrong(names, absl::StrCat("the reference has no setting ", Brief(pair.theirs),
                                     NearestHint(pair.theirs, {settings.begin(), settings.end()})));
  }
  return absl::OkStatus();
}

// What the model calls the stage `name`; nullopt if it is left out.
absl::StatusOr<absl::optional<std::string>> OurStage(const ReferenceNames& names, const std::string& name) {
  if (IsOutput(name)) return absl::make_optional(name);
  ASSIGN_OR_RETURN(Stage stage, ParseStage(name));
  absl::optional<std::string> path = OurPath(names, stage.path);
  if (!path) return absl::optional<std::string>();
  stage.path = *std::move(path);
  return absl::make_optional(StageName(stage));
}

Settings OurSettings(const ReferenceNames& names, const Settings& theirs) {
  Settings ours;
  for (const auto& [path, values] : theirs) {
    const absl::optional<std::string> our_path = OurPath(names, path);
    if (!our_path) continue;
    for (const auto& [name, value] : values) {
      const auto pair = std::find_if(names.settings.begin(), names.settings.end(),
                                     [&, &name = name](const PairedName& pair) { return pair.theirs == name; });
      if (pair == names.settings.end()) {
        ours[*our_path].emplace(name, value);
      } else if (pair->ours) {
        ours[*our_path][*pair->ours] = value;
      }
    }
  }
  return ours;
}

}  // namespace

absl::StatusOr<ComparedModel> LoadComparedArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadScript(path, *file));
  return ComparedModel{
      .name = path, .module = std::make_shared<const torch::jit::Module>(std::move(module)), .is_artifact = true};
}

absl::StatusOr<Reference> LoadReference(const std::string& path, const std::string& names, const ComparedModel& model) {
  ASSIGN_OR_RETURN(Reference reference, LoadUnpaired(path, model));
  if (names.empty()) return reference;
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(names));
  ASSIGN_OR_RETURN(const ReferenceNames pairs, ParseReferenceNames(names, file->bytes()));
  RETURN_IF_ERROR(RenameReference(pairs, reference));
  return reference;
}

absl::Status SetKnobs(const Reference& reference, ComparedModel& model) {
  ASSIGN_OR_RETURN(torch::jit::Module changed, WithKnobs(*model.module, reference));
  model.module = std::make_shared<const torch::jit::Module>(std::move(changed));
  for (const auto& [name, value] : reference.knobs) model.knobs[name] = value;
  return absl::OkStatus();
}

absl::StatusOr<Reference> RecordModel(const ComparedModel& model, const absl::optional<Reference>& reference,
                                      const std::string& path) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, reference));
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(Reference recorded, RecordReference(*model.module, call.method, call.arguments, path, model.name));
  recorded.knobs = model.knobs;
  return recorded;
}

absl::StatusOr<absl::optional<OperatorRun>> FindNonfinite(const ComparedModel& model,
                                                          const absl::optional<Reference>& reference) {
  ASSIGN_OR_RETURN(const ModelCall call, FindCall(model, reference));
  const c10::InferenceMode inference;
  return FindNonfiniteOperator(*model.module, call.method, call.arguments);
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

absl::StatusOr<ReferenceNames> ParseReferenceNames(const std::string& path, absl::string_view text) {
  YamlProblems problems(path);
  const YamlValue value = ParseYaml({path, std::string(text)}, &problems);
  YamlMapReader reader(value, "the file of names", &problems);
  ReferenceNames names = {.path = path};
  names.modules = ReadPairs(reader, "modules", problems);
  names.settings = ReadPairs(reader, "settings", problems);
  reader.Finish();
  RETURN_IF_ERROR(problems.status());
  return names;
}

absl::Status RenameReference(const ReferenceNames& names, Reference& reference) {
  RETURN_IF_ERROR(CheckNames(names, reference));
  NamedTensors expected;
  std::map<std::string, std::string> slices;
  std::set<std::string> taken;
  for (const auto& [name, tensor] : reference.expected) {
    ASSIGN_OR_RETURN(const absl::optional<std::string> ours, OurStage(names, name));
    if (!ours) continue;
    if (!taken.insert(*ours).second) {
      return Wrong(names,
                   absl::StrCat("two stages of the reference become ", Brief(*ours), ", one of them ", Brief(name)));
    }
    expected.emplace_back(*ours, tensor);
    if (const auto slice = reference.slices.find(name); slice != reference.slices.end()) slices[*ours] = slice->second;
  }
  reference.expected = std::move(expected);
  reference.slices = std::move(slices);
  reference.settings = OurSettings(names, reference.settings);
  return absl::OkStatus();
}

}  // namespace modelport
