#include "tools/parity/check/check_parity.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/io/output_file.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/script/graph_operators.h"
#include "tools/parity/check/compared_model.h"

namespace modelport {
namespace {

// The file name for a module that an artifact or a reference names: foreign text, which must not lead elsewhere.
std::string FileName(const std::string& module) {
  std::string name = module;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !absl::ascii_isalnum(c) && c != '.' && c != '-'; }, '_');
  return absl::StartsWith(name, ".") ? absl::StrCat("_", name) : name;
}

// The inputs of the call whose result `result` is.
std::vector<const ComparedTensor*> InputsOf(const ReferenceComparison& comparison, const ComparedTensor& result) {
  std::vector<const ComparedTensor*> inputs;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.is_input() && SameCall(tensor.point.stage, result.point.stage)) inputs.push_back(&tensor);
  }
  return inputs;
}

// What differs, from the view of the module at fault.
std::string Evidence(const ComparedTensor& tensor) {
  const std::string what = tensor.is_input()        ? absl::StrCat("passes on ", tensor.name)
                           : tensor.point.is_result ? tensor.name
                                                    : absl::StrCat("returns ", tensor.name);
  if (!tensor.obstacle.empty()) return absl::StrCat(what, ": ", tensor.obstacle);
  return absl::StrFormat("%s: max diff %.3g, tolerance %.3g", what, tensor.measures.max_abs, tensor.tolerance);
}

// The module whose fault it is if `tensor` differs in a comparison with inject_all.
const std::string& BlamedFor(const ComparedTensor& tensor) {
  return tensor.is_input() ? tensor.point.caller : tensor.point.stage.path;
}

// Whether what a module works on when it makes `tensors[index]` differs and could not be given: an input of its own, or
// a result of a module that it calls.
bool WorksOnOther(const std::vector<ComparedTensor>& tensors, size_t index) {
  const std::string& module = BlamedFor(tensors[index]);
  return std::any_of(tensors.begin(), tensors.begin() + index, [&](const ComparedTensor& other) {
    if (other.passed() || other.is_given || other.point.is_result) return false;
    return other.is_input() ? other.point.stage.path == module : other.point.caller == module;
  });
}

// The suspect of this path, a new one if there is none.
Suspect& SuspectOf(const std::string& path, std::vector<Suspect>& suspects) {
  const auto found =
      std::find_if(suspects.begin(), suspects.end(), [&](const Suspect& suspect) { return suspect.path == path; });
  if (found != suspects.end()) return *found;
  return suspects.emplace_back(Suspect{path, {}, /*inputs_are_known=*/true});
}

using torch::jit::Module;

// The dtype of few bits that `node` casts to; "" if it casts to none that the text states.
std::string NarrowedTo(const torch::jit::Node& node) {
  if (node.kind() != c10::Symbol::fromQualString("aten::to") || !node.hasNamedInput("dtype")) return "";
  const std::optional<c10::IValue> dtype = torch::jit::toIValue(node.namedInput("dtype"));
  if (!dtype || !dtype->isInt()) return "";
  if (dtype->toInt() == static_cast<int64_t>(at::kHalf)) return "float16";
  return dtype->toInt() == static_cast<int64_t>(at::kBFloat16) ? "bfloat16" : "";
}

// " (modules.yaml:31)": the line of the text that made `node`; "" if that is not known.
std::string Place(const torch::jit::Node& node) {
  const auto place = node.sourceRange().file_line_col();
  if (!place) return "";
  const auto& [file, line, column] = *place;
  return absl::StrCat(" (", file, ":", line, ")");
}

// The submodule `path` of `module`, which has it.
Module Submodule(const Module& module, const std::string& path) {
  for (const auto& submodule : module.named_modules()) {
    if (submodule.name == path) return submodule.value;
  }
  return module;
}

// The arguments of `call` where all other modules get and return what the reference tells.
absl::StatusOr<std::vector<c10::IValue>> ArgumentsOf(const Module& module, const Reference& reference,
                                                     const ExpectedTensors& expected, const Stage& call) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, FindArguments(module, reference, Precision::kAny));
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    const at::Tensor replacement = point.is_result ? at::Tensor() : expected.Replacement(point, tensor);
    return replacement.defined() ? replacement : tensor;
  };
  absl::optional<std::vector<c10::IValue>> found;
  const auto observe_call = [&](const Stage& other, const std::vector<c10::IValue>& arguments) {
    if (found || !SameCall(other, call)) return at::Tensor();
    found.emplace();
    for (size_t i = 0; i < arguments.size(); ++i) {
      ObservedTensor point = {.stage = call};
      point.stage.side = Stage::Side::kInput;
      point.stage.argument = i;
      found->push_back(MapTensors(arguments[i], [&](const std::string& element, const at::Tensor& tensor) {
        point.stage.element = element;
        point.name = StageName(point.stage);
        return observe(point, tensor).clone();
      }));
    }
    return at::Tensor();
  };
  RETURN_IF_ERROR(
      Annotate(RunObserved(module, reference.method, inputs, observe, observe_call).status(), reference.path));
  if (found) return *std::move(found);
  return absl::NotFoundError(absl::StrCat(reference.path, ": nothing calls ", StageName(call)));
}

// The name, in the reference of `call` alone, of what the whole reference calls `stage`; "" if it is not of this call.
std::string NameWithin(const Stage& call, const ExpectedTensors& expected, Stage stage) {
  if (SameCall(stage, call)) {
    if (stage.side == Stage::Side::kInput) return "";
    return stage.element.empty() ? "output" : JoinPath("output", stage.element);
  }
  // Which calls within are of this one is known only where it is the only one.
  if (!IsWithin(stage.path, call.path) || !expected.IsOnlyCall(call)) return "";
  stage.path = std::string(PathBelow(stage.path, call.path));
  return StageName(stage);
}

}  // namespace

absl::StatusOr<ParityReport> CheckParity(const ComparedModel& model, const Reference& reference, CompareOptions options,
                                         bool bisects) {
  options.lenient = true;
  ParityReport report = {.model = model.name, .reference = reference.path};
  report.settings = CompareSettings(reference.settings, FindSettings(*model.module));
  // At a large image a comparison takes minutes.
  Progress progress("compare", bisects ? 2 : 1, StderrScreen(), "comparison");
  progress.Show();
  ASSIGN_OR_RETURN(report.comparison, CompareReference(*model.module, reference, options));
  progress.Add(1);
  report.divergence = FindDivergence(report.comparison);
  report.narrowing = FindNarrowingCasts(*model.module);
  if (bisects) {
    options.inject_all = true;
    options.keep_tensors = false;
    options.own = &report.comparison;
    ASSIGN_OR_RETURN(const ReferenceComparison forced, CompareReference(*model.module, reference, options));
    report.suspects = FindSuspects(forced, report.settings.differences);
    report.unjudged = FindUnjudged(forced);
    report.smallest = FindReduction(*model.module, forced, *report.suspects);
  }
  return report;
}

absl::StatusOr<SavedReduction> SaveReduction(const ComparedModel& model, const Reference& reference, const Stage& call,
                                             const std::string& folder) {
  ASSIGN_OR_RETURN(const Reduction reduction, Reduce(*model.module, reference, call));
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // What fails here, fails below with a message.
  const std::string name = FileName(call.path.empty() ? reference.model : call.path);
  SavedReduction saved = {.module_path = absl::StrCat(folder, "/", name, ".pt"),
                          .reference_path = absl::StrCat(folder, "/", name, ".safetensors")};
  ASSIGN_OR_RETURN(OutputFile module_file, OutputFile::Create(saved.module_path));
  ASSIGN_OR_RETURN(OutputFile reference_file, OutputFile::Create(saved.reference_path));
  RETURN_IF_ERROR(WriteArchive(*reduction.module, /*runtime=*/nullptr, /*extra=*/{}, module_file));
  RETURN_IF_ERROR(WriteReference(reduction.reference, reference_file));
  ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(module_file.ReadablePath()));
  ASSIGN_OR_RETURN(const ReferenceComparison comparison,
                   CompareReference(module, reduction.reference, {.lenient = true}));
  saved.divergence = FindDivergence(comparison);
  RETURN_IF_ERROR(OutputFile::CommitTogether({&module_file, &reference_file}));
  return saved;
}

absl::optional<Divergence> FindDivergence(const ReferenceComparison& comparison) {
  absl::optional<Divergence> divergence;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.passed()) continue;
    if (!divergence) divergence = Divergence{tensor.name, absl::nullopt};
    if (tensor.is_input()) continue;
    const std::vector<const ComparedTensor*> inputs = InputsOf(comparison, tensor);
    const bool are_right = std::all_of(inputs.begin(), inputs.end(), [](const auto* input) { return input->passed(); });
    if (tensor.point.is_result || (!inputs.empty() && are_right)) {
      divergence->module = tensor.point.is_result ? "" : tensor.point.stage.path;
      break;
    }
  }
  return divergence;
}

std::vector<Suspect> FindSuspects(const ReferenceComparison& forced, const std::vector<SettingDifference>& settings) {
  std::vector<Suspect> suspects;
  for (size_t i = 0; i < forced.tensors.size(); ++i) {
    const ComparedTensor& tensor = forced.tensors[i];
    if (tensor.passed() || WorksOnOther(forced.tensors, i)) continue;
    const bool is_input = tensor.is_input();
    Suspect& suspect = SuspectOf(BlamedFor(tensor), suspects);
    suspect.evidence.push_back(Evidence(tensor));
    if (!is_input && !tensor.point.is_result) suspect.inputs_are_known &= !InputsOf(forced, tensor).empty();
  }
  for (const SettingDifference& setting : settings) {
    SuspectOf(setting.path, suspects)
        .evidence.push_back(
            absl::StrCat(setting.name, " is ", setting.actual, ", the reference has ", setting.expected));
  }
  return suspects;
}

std::vector<std::string> FindNarrowingCasts(const Module& module) {
  const absl::optional<at::ScalarType> weights = WeightType(module);
  std::vector<std::string> casts;
  if (weights && *weights != at::kFloat && *weights != at::kDouble) return casts;
  std::set<const c10::ClassType*> seen;
  for (const auto& submodule : module.named_modules()) {
    if (!seen.insert(submodule.value.type().get()).second) continue;
    for (const torch::jit::Method& method : submodule.value.get_methods()) {
      ForEachNode(*method.graph()->block(), [&](const torch::jit::Node& node) {
        if (const std::string dtype = NarrowedTo(node); !dtype.empty()) {
          casts.push_back(
              absl::StrCat(submodule.name.empty() ? "the model itself" : submodule.name, Place(node), ": ", dtype));
        }
      });
    }
  }
  return casts;
}

std::vector<std::string> FindUnjudged(const ReferenceComparison& forced) {
  std::vector<std::string> modules;
  for (size_t i = 0; i < forced.tensors.size(); ++i) {
    const ComparedTensor& tensor = forced.tensors[i];
    if (tensor.passed() || !WorksOnOther(forced.tensors, i)) continue;
    const std::string& module = BlamedFor(tensor);
    if (std::count(modules.begin(), modules.end(), module) == 0) modules.push_back(module);
  }
  return modules;
}

absl::optional<Stage> FindReduction(const Module& module, const ReferenceComparison& forced,
                                    const std::vector<Suspect>& suspects) {
  const Suspect* smallest = nullptr;
  int64_t fewest = 0;
  for (const Suspect& suspect : suspects) {
    if (!suspect.inputs_are_known && !suspect.path.empty()) continue;
    const int64_t elements = CountElements(Submodule(module, suspect.path));
    if (smallest != nullptr && elements >= fewest) continue;
    smallest = &suspect;
    fewest = elements;
  }
  if (smallest == nullptr) return absl::nullopt;
  if (smallest->path.empty()) return Stage();
  const ComparedTensor* first = nullptr;
  for (const ComparedTensor& tensor : forced.tensors) {
    if (tensor.point.is_result || tensor.point.stage.path != smallest->path) continue;
    if (tensor.point.stage.side == Stage::Side::kInput) continue;
    if (first == nullptr || (first->passed() && !tensor.passed())) first = &tensor;
  }
  if (first == nullptr) return absl::nullopt;
  Stage call = first->point.stage;
  call.element.clear();
  return call;
}

absl::StatusOr<Reduction> Reduce(const Module& module, const Reference& reference, const Stage& call) {
  if (call.path.empty()) return Reduction{std::make_shared<const Module>(module), reference};
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(const ExpectedTensors expected, ExpectedTensors::Index(reference));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments, ArgumentsOf(module, reference, expected, call));
  Reduction reduction = {std::make_shared<const Module>(Submodule(module, call.path)),
                         {.path = reference.path, .model = reference.model}};
  Reference& own = reduction.reference;
  absl::StrAppend(&own.model, " ", StageName(call));
  own.method = call.method;
  const std::vector<c10::Argument>& schema =
      reduction.module->get_method(call.method).function().getSchema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) own.arguments[schema[i + 1].name()] = arguments[i];
  bool has_output = false;
  for (const auto& [name, tensor] : reference.expected) {
    const auto stage = expected.stages().find(name);
    if (stage == expected.stages().end()) continue;
    const std::string own_name = NameWithin(call, expected, stage->second);
    if (own_name.empty()) continue;
    has_output |= IsOutput(own_name);
    own.expected.emplace_back(own_name, tensor);
    if (const auto slice = reference.slices.find(name); slice != reference.slices.end()) {
      own.slices[own_name] = slice->second;
    }
  }
  for (const auto& [path, settings] : reference.settings) {
    if (IsWithin(path, call.path)) own.settings[std::string(PathBelow(path, call.path))] = settings;
  }
  if (has_output) return reduction;
  return absl::FailedPreconditionError(
      absl::StrCat(reference.path, ": does not tell what ", StageName(call), " returns"));
}

}  // namespace modelport
