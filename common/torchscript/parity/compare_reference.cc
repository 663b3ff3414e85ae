#include "common/torchscript/parity/compare_reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/maximum.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/module_fwd.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// A tensor that the module computed at a point of which the reference has one, or a result.
struct PassedTensor {
  ObservedTensor point;
  std::string name;  // As in Reference::expected; "" for a result that the reference lacks.
  at::Tensor tensor;
  int calls = 0;          // Of submodules, that had begun when it passed.
  bool is_given = false;  // Whether the reference's replaced it.
};

// An argument of a call that is not what the reference gives, where one of both is no tensor.
struct OtherValue {
  ObservedTensor point;
  std::string obstacle;  // "is false, the reference gives true"
};

struct MeasuredRun {
  std::vector<PassedTensor> passed;  // In the order of execution.
  std::vector<OtherValue> other_values = {};
  // The same tensors in the reference's floating dtype and in float64, by name, which tell what rounding amounts to;
  // none if it is not measured.
  std::map<std::string, at::Tensor> rounded = {}, wide = {};
  std::vector<std::string> left_out;  // Paths of the calls in whose place the reference's result was taken.
  std::map<std::string, int> calls;   // How often each method was called, by path and method: "blocks.0.forward".
};

// Where the reference's tensors pass in the place of the module's own.
struct Replaced {
  absl::FunctionRef<bool(const ObservedTensor& point)> replaces;
  // The call from which on the module computes. A call before it is not made, if the reference has its result and it is
  // the only one of its submodule.
  absl::optional<Stage> from = absl::nullopt;
};

// Why the argument `given` of a call is not what the reference gives; "" if it is, or if that cannot be told. `stated`
// is the reference's value, null for a tensor; `has_tensor` is whether it has one there.
std::string OtherThan(const c10::IValue* stated, bool has_tensor, const c10::IValue& given) {
  if (stated == nullptr) return has_tensor && given.isNone() ? "is None, the reference gives a tensor" : "";
  if (stated->isNone() && given.isTensor()) return "is a tensor, the reference gives None";
  if (!IsSetting(given) || SameSetting(*stated, given)) return "";
  return absl::StrCat("is ", SettingText(given), ", the reference gives ", SettingText(*stated));
}

void AddOtherValues(const torch::jit::Module& module, const Reference& reference, const ExpectedTensors& expected,
                    const Stage& call, const std::vector<c10::IValue>& values, MeasuredRun& run) {
  const auto stated = reference.values.find(StageName(call));
  const std::vector<std::string> names = ArgumentNames(module, call);
  for (size_t i = 0; i < values.size() && i < names.size(); ++i) {
    ObservedTensor point = {.stage = call};
    point.stage.side = Stage::Side::kInput;
    point.stage.argument = static_cast<int>(i);
    point.name = StageName(point.stage);
    const c10::IValue* value = nullptr;
    if (stated != reference.values.end()) {
      const auto found = stated->second.find(names[i]);
      if (found != stated->second.end()) value = &found->second;
    }
    const std::string obstacle = OtherThan(value, expected.Name(point) != nullptr, values[i]);
    if (!obstacle.empty()) run.other_values.push_back({std::move(point), absl::StrCat(names[i], " ", obstacle)});
  }
}

// Adds to `comparison` the values that are not the reference's of calls whose results differ: what makes no difference
// may be written otherwise.
void AddValues(const MeasuredRun& run, ReferenceComparison& comparison) {
  for (const OtherValue& other : run.other_values) {
    const auto is_of_call = [&](const ComparedTensor& tensor) {
      return !tensor.point.is_result && SameCall(tensor.point.stage, other.point.stage);
    };
    const auto result =
        std::find_if(comparison.tensors.begin(), comparison.tensors.end(), [&](const ComparedTensor& tensor) {
          return is_of_call(tensor) && tensor.point.stage.side == Stage::Side::kOutput;
        });
    const bool differs =
        std::any_of(comparison.tensors.begin(), comparison.tensors.end(), [&](const ComparedTensor& tensor) {
          // Where the reference's inputs are given to what the call calls, the result may be right all the same.
          const bool is_within = tensor.is_input() && tensor.point.caller == other.point.stage.path;
          const bool is_result = is_of_call(tensor) && tensor.point.stage.side == Stage::Side::kOutput;
          return (is_within || is_result) && !tensor.passed();
        });
    if (result == comparison.tensors.end() || !differs) continue;
    // In front of all that passes in the call.
    const auto first = std::find_if(comparison.tensors.begin(), comparison.tensors.end(), is_of_call);
    ComparedTensor value{.name = other.point.name, .point = other.point};
    value.point.caller = result->point.caller;
    value.obstacle = other.obstacle;
    comparison.tensors.insert(first, std::move(value));
  }
}

// Calls `module` as `reference` says. Nothing is measured yet.
//   NotFound            as RunObserved; nothing makes the call `replaced.from`
//   FailedPrecondition  the module fails on these inputs
absl::StatusOr<MeasuredRun> RunOnReference(const torch::jit::Module& module, const Reference& reference,
                                           const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                                           const Replaced& replaced) {
  MeasuredRun run;
  int begun = 0;
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    int& calls = run.calls[JoinPath(point.stage.path, point.stage.method)];
    calls = std::max(calls, point.stage.call + 1);
    const std::string* const name = expected.Name(point);
    if (name == nullptr && !point.is_result) return tensor;
    run.passed.push_back({point, name == nullptr ? "" : *name, tensor.detach().clone(), begun});
    if (name == nullptr || !replaced.replaces(point)) return tensor;
    const at::Tensor replacement = expected.Replacement(point, tensor);
    run.passed.back().is_given = replacement.defined();
    return replacement.defined() ? replacement : tensor;
  };
  bool has_begun = !replaced.from;
  const auto observe_call = [&](const Stage& call, const std::vector<c10::IValue>& values) {
    AddOtherValues(module, reference, expected, call, values, run);
    ++begun;
    has_begun = has_begun || SameCall(call, *replaced.from);
    if (has_begun || IsWithin(replaced.from->path, call.path) || !expected.IsOnlyCall(call)) return at::Tensor();
    at::Tensor replacement = expected.Result(call, WeightType(module));
    if (replacement.defined()) run.left_out.push_back(call.path);
    return replacement;
  };
  const absl::Status status = RunObserved(module, reference.method, arguments, observe, observe_call).status();
  if (status.ok() && has_begun) return run;
  if (status.ok()) {
    return absl::NotFoundError(absl::StrCat(reference.path, ": nothing calls ", StageName(*replaced.from)));
  }
  const bool is_ours = absl::IsInternal(status);
  return absl::Status(
      is_ours ? absl::StatusCode::kFailedPrecondition : status.code(),
      absl::StrCat(reference.path, is_ours ? ": the module fails on these inputs: " : ": ", status.message()));
}

// The tensors of a copy in another dtype, by name.
absl::StatusOr<std::map<std::string, at::Tensor>> RunCopy(const torch::jit::Module& module, at::ScalarType type,
                                                          const Reference& reference, const ExpectedTensors& expected,
                                                          const std::vector<c10::IValue>& arguments,
                                                          const Replaced& replaced) {
  ASSIGN_OR_RETURN(const torch::jit::Module copy, CatchTorch([&] { return TypedCopy(module, type); }));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> typed, CatchTorch([&] { return TypedCopy(arguments, type); }));
  absl::StatusOr<MeasuredRun> run = RunOnReference(copy, reference, expected, typed, replaced);
  if (!run.ok()) {
    return absl::Status(run.status().code(),
                        absl::StrCat(run.status().message(), "\n  this was a copy in ",
                                     type == at::kDouble ? "float64" : "half precision",
                                     ", which measures rounding; --tolerance=NUMBER, relative to the largest element, "
                                     "does without"));
  }
  std::map<std::string, at::Tensor> tensors;
  for (PassedTensor& passed : run->passed) tensors[passed.name] = std::move(passed.tensor);
  return tensors;
}

// Sets `rounded` and `wide` of `run` by the same call of copies of `module`. Fails as RunOnReference does.
absl::Status MeasureRounding(const torch::jit::Module& module, const Reference& reference,
                             const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                             const Replaced& replaced, MeasuredRun& run) {
  ASSIGN_OR_RETURN(run.wide, RunCopy(module, at::kDouble, reference, expected, arguments, replaced));
  const at::ScalarType precision = ReferencePrecision(reference);
  if (precision != at::kFloat) {
    ASSIGN_OR_RETURN(run.rounded, RunCopy(module, precision, reference, expected, arguments, replaced));
    return absl::OkStatus();
  }
  for (const PassedTensor& passed : run.passed) run.rounded[passed.name] = passed.tensor;
  return absl::OkStatus();
}

std::string Description(const at::Tensor& tensor) {
  return absl::StrCat(c10::toString(tensor.scalar_type()), " [", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// Whether a tensor of one dtype may be compared with one of the other.
bool SameDType(at::ScalarType a, at::ScalarType b, bool lenient) {
  return a == b || (lenient && at::isFloatingType(a) && at::isFloatingType(b));
}

// The names of stages of submodules that the module has not, each with the nearest path.
absl::Status CheckPaths(const torch::jit::Module& module, const Reference& reference, const ExpectedTensors& expected) {
  std::vector<std::string> paths;
  for (const auto& submodule : module.named_modules()) paths.push_back(submodule.name);
  for (const auto& [name, stage] : expected.stages()) {
    if (std::count(paths.begin(), paths.end(), stage.path) > 0) continue;
    return WrongReference(reference, absl::StrCat("tensor ", Brief(name), " is neither an input nor an output, and ",
                                                  "no submodule has this path", NearestHint(stage.path, paths)));
  }
  return absl::OkStatus();
}

// Why the module computes nothing for `name`.
absl::Status MissingError(const Reference& reference, const ExpectedTensors& expected, const MeasuredRun& run,
                          const std::string& name) {
  const auto stage = expected.stages().find(name);
  if (stage == expected.stages().end()) {
    std::vector<std::string> known;
    for (const PassedTensor& passed : run.passed) {
      if (passed.point.is_result) known.push_back(passed.point.name);
    }
    return WrongReference(reference,
                          absl::StrCat(reference.method, " returns no tensor ", Brief(name), NearestHint(name, known)));
  }
  const std::string call = JoinPath(stage->second.path, stage->second.method);
  const auto calls = run.calls.find(call);
  if (calls == run.calls.end() || calls->second <= stage->second.call) {
    return absl::NotFoundError(absl::StrCat(reference.path, ": nothing calls ", StageName(stage->second)));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      reference.path, ": stage ", Brief(name),
      " wants one tensor, has none or several: name an element by index or key, such as \"", call, "() -> 0\""));
}

std::string Calls(int calls) { return absl::StrCat(calls, calls == 1 ? " call" : " calls"); }

// "blocks.0.forward", by which calls are counted.
std::string MethodOf(const Stage& stage) { return JoinPath(stage.path, stage.method); }

// The methods that the module calls more or less often than the reference tells, and how often that tells.
std::map<std::string, int> CalledOtherwise(const ExpectedTensors& expected, const MeasuredRun& run) {
  std::map<std::string, int> told;
  for (const auto& [name, stage] : expected.stages()) {
    int& calls = told[MethodOf(stage)];
    calls = std::max(calls, stage.call + 1);
  }
  for (auto method = told.begin(); method != told.end();) {
    const auto calls = run.calls.find(method->first);
    const bool is_alike = calls == run.calls.end() || calls->second == method->second;
    method = is_alike ? told.erase(method) : std::next(method);
  }
  return told;
}

// The stage that the module passes more or less often than the reference tells; "" if there is none.
std::string CalledMoreOften(const ExpectedTensors& expected, const MeasuredRun& run) {
  const std::map<std::string, int> otherwise = CalledOtherwise(expected, run);
  for (const auto& [name, stage] : expected.stages()) {
    const auto told = otherwise.find(MethodOf(stage));
    if (told == otherwise.end()) continue;
    return absl::StrCat("stage ", Brief(name), " wants ", Calls(told->second), ", is called ",
                        run.calls.find(told->first)->second, " times");
  }
  return "";
}

// The stages that the module does not pass; an error unless the comparison is lenient.
absl::StatusOr<std::vector<std::string>> NotComputed(const Reference& reference, const ExpectedTensors& expected,
                                                     const MeasuredRun& run, const CompareOptions& options) {
  if (const std::string stage = CalledMoreOften(expected, run); !stage.empty() && !options.lenient) {
    return absl::FailedPreconditionError(absl::StrCat(reference.path, ": ", stage));
  }
  const std::map<std::string, int> otherwise = CalledOtherwise(expected, run);
  std::set<std::string> passed;
  for (const PassedTensor& tensor : run.passed) passed.insert(tensor.name);
  std::vector<std::string> names;
  for (const auto& [name, stage] : expected.stages()) {
    const bool is_left_out = std::any_of(run.left_out.begin(), run.left_out.end(),
                                         [&, &stage = stage](const auto& path) { return IsWithin(stage.path, path); });
    if (passed.count(name) > 0 || is_left_out) continue;
    if (options.lenient && otherwise.count(MethodOf(stage)) > 0) continue;  // Of ReferenceComparison::other_calls.
    if (!options.lenient) return MissingError(reference, expected, run, name);
    names.push_back(name);
  }
  for (const auto& [name, tensor] : reference.expected) {
    if (IsOutput(name) && passed.count(name) == 0) return MissingError(reference, expected, run, name);
  }
  return names;
}

// Which points the names of `inject` stand for.
class Injected {
 public:
  static absl::StatusOr<Injected> Parse(const Reference& reference, const ExpectedTensors& expected,
                                        const std::vector<std::string>& names) {
    Injected injected;
    for (const std::string& name : names) {
      absl::StatusOr<Stage> stage = ParseStage(name);
      if (!stage.ok()) return stage.status();
      const bool is_known = std::any_of(expected.stages().begin(), expected.stages().end(),
                                        [&](const auto& known) { return Matches(*stage, known.second); });
      if (!is_known) {
        std::vector<std::string> known;
        for (const auto& [other, unused] : expected.stages()) known.push_back(other);
        return WrongReference(reference,
                              absl::StrCat("has no tensor of ", Brief(name), " to inject", NearestHint(name, known)));
      }
      injected.stages_.push_back(*std::move(stage));
    }
    return injected;
  }

  bool Contains(const Stage& point) const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& stage) { return Matches(stage, point); });
  }

 private:
  // All inputs of a call, and all elements of a result, belong together.
  static bool Matches(const Stage& stage, const Stage& point) {
    return SameCall(stage, point) && stage.side == point.side;
  }

  std::vector<Stage> stages_;
};

// The call from which on the module computes; nullopt for "", the whole. `name` is of what it returns.
absl::StatusOr<absl::optional<Stage>> FirstCall(const Reference& reference, const ExpectedTensors& expected,
                                                const std::string& name) {
  if (name.empty()) return absl::nullopt;
  ASSIGN_OR_RETURN(Stage call, ParseStage(name));
  call.side = Stage::Side::kOutput;
  call.argument = 0;
  call.element.clear();
  std::vector<std::string> known;
  for (const auto& [other, stage] : expected.stages()) {
    if (SameCall(stage, call)) return call;
    known.push_back(other);
  }
  return WrongReference(reference,
                        absl::StrCat("has no tensor of ", Brief(name), " to begin at", NearestHint(name, known)));
}

// The own tensor, of which the reference may hold a slice.
absl::StatusOr<at::Tensor> Sliced(const Reference& reference, const std::string& name, const at::Tensor& tensor) {
  const auto slice = reference.slices.find(name);
  if (slice == reference.slices.end() || !tensor.defined()) return tensor;
  absl::StatusOr<at::Tensor> sliced = Slice(tensor, slice->second);
  if (sliced.ok()) return sliced;
  return WrongReference(reference, absl::StrCat(Brief(name), ": ", sliced.status().message()));
}

// The dimensions whose places tell what an element is: both of a small matrix at the end, such as a camera's, the
// channels of a map, or the last one. Elements of a long vector are all of one kind.
std::vector<int64_t> KindDims(const at::Tensor& tensor) {
  constexpr int64_t kSmall = 16;
  const int64_t dims = tensor.dim();
  if (dims >= 2 && tensor.size(-1) * tensor.size(-2) <= kSmall) return {dims - 2, dims - 1};
  if (dims == 4) return {1};
  return dims > 1 || (dims == 1 && tensor.size(0) <= kSmall) ? std::vector<int64_t>{dims - 1} : std::vector<int64_t>();
}

// The largest absolute element of each kind, in a vector.
at::Tensor LargestOfEachKind(const at::Tensor& tensor, const std::vector<int64_t>& kind_dims) {
  std::vector<int64_t> others;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (std::count(kind_dims.begin(), kind_dims.end(), dim) == 0) others.push_back(dim);
  }
  const at::Tensor magnitude = tensor.to(at::kDouble).abs();
  return (others.empty() ? magnitude : magnitude.amax(others)).flatten();
}

// Elements of one kind may be so small beside the largest of the tensor that its tolerance says nothing of them, as a
// camera's principal point beside its focal length. Says where such elements differ by more than a thousandth of the
// largest of their kind and a thousand times what rounding makes there; "" if none do.
std::string SmallKindThatDiffers(const at::Tensor& expected, const at::Tensor& actual, const at::Tensor& rounded,
                                 const at::Tensor& wide) {
  constexpr double kSmallPart = 1e-4, kLeastPart = 1e-3, kTimesRounding = 1000;
  const std::vector<int64_t> dims = KindDims(expected);
  if (dims.empty() || expected.numel() == 0 || !expected.is_floating_point()) return "";
  const at::Tensor scale = LargestOfEachKind(expected, dims);
  const at::Tensor difference = LargestOfEachKind(expected.to(at::kDouble) - actual.to(at::kDouble), dims);
  const at::Tensor rounding = LargestOfEachKind(wide.to(at::kDouble) - rounded.to(at::kDouble), dims);
  const at::Tensor allowed = at::maximum(scale * kLeastPart, rounding * kTimesRounding);
  const at::Tensor differs = (scale > 0) & (scale < scale.max() * kSmallPart) & (difference > allowed);
  if (!differs.any().item<bool>()) return "";
  const int64_t kind = differs.to(at::kLong).argmax().item<int64_t>();
  std::vector<std::string> place(expected.dim(), ":");
  place[dims.back()] = absl::StrCat(kind % expected.size(dims.back()));
  if (dims.size() == 2) place[dims.front()] = absl::StrCat(kind / expected.size(dims.back()));
  return absl::StrFormat("at [%s]: max diff %.3g, where the largest element is %.3g and rounding makes %.3g",
                         absl::StrJoin(place, ", "), difference[kind].item<double>(), scale[kind].item<double>(),
                         rounding[kind].item<double>());
}

// Compares tensors of comparable dtypes, of which `actual` passes after `calls` calls. `rounded` and `wide` are
// `actual` in the reference's floating dtype `precision` and in float64, to measure rounding, of which `stated_noise`
// is the most; with `tolerance` they are not used.
void CompareElements(const at::Tensor& expected, const at::Tensor& actual, int calls, const at::Tensor& rounded,
                     const at::Tensor& wide, absl::optional<double> stated_noise, at::ScalarType precision,
                     absl::optional<double> tolerance, ComparedTensor& compared) {
  compared.measures = Measure(expected, actual);
  const int64_t nonfinite = compared.measures.nan + compared.measures.infinite;
  if (nonfinite > 0) compared.obstacle = absl::StrCat(nonfinite, " of ", actual.numel(), " elements are not finite");
  if (tolerance) {
    compared.tolerance = expected.is_floating_point() ? *tolerance * compared.measures.scale : 0;
    return;
  }
  // Copies that differ in shape measure nothing.
  const bool is_measured = rounded.defined() && wide.defined() && rounded.sizes() == wide.sizes();
  const double measured = is_measured ? Measure(wide, rounded).max_abs : std::numeric_limits<double>::infinity();
  const double most = MostRounding(calls, compared.measures.scale, precision);
  const double noise = std::min(stated_noise.value_or(most), measured);
  compared.tolerance =
      Tolerance(noise, compared.measures.scale, expected.is_floating_point() ? precision : expected.scalar_type());
  if (is_measured && compared.passed()) compared.obstacle = SmallKindThatDiffers(expected, actual, rounded, wide);
}

// What rounding amounts to by upstream's own run in float64; nullopt if the reference does not tell.
absl::optional<double> NoiseOf(const Reference& reference, const std::string& name) {
  const auto noise = reference.noise.find(name);
  return noise == reference.noise.end() ? absl::nullopt : absl::make_optional(noise->second);
}

// Whether it tells of every floating tensor that it expects.
bool StatesAllNoise(const Reference& reference) {
  return std::all_of(reference.expected.begin(), reference.expected.end(), [&](const auto& named) {
    return !named.second.is_floating_point() || reference.noise.count(named.first) > 0;
  });
}

// `tensors` are those of a run in some dtype, by name.
absl::StatusOr<at::Tensor> SlicedCopy(const Reference& reference, const std::string& name,
                                      const std::map<std::string, at::Tensor>& tensors) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? at::Tensor() : Sliced(reference, name, found->second);
}

absl::StatusOr<ComparedTensor> Compare(const Reference& reference, const at::Tensor& expected,
                                       const PassedTensor& passed, const MeasuredRun& run,
                                       const CompareOptions& options) {
  ASSIGN_OR_RETURN(const at::Tensor own, Sliced(reference, passed.name, passed.tensor));
  ASSIGN_OR_RETURN(const at::Tensor rounded, SlicedCopy(reference, passed.name, run.rounded));
  ASSIGN_OR_RETURN(const at::Tensor wide, SlicedCopy(reference, passed.name, run.wide));
  ComparedTensor compared{.name = passed.name, .point = passed.point, .shape = expected.sizes().vec()};
  compared.is_given = passed.is_given;
  if (options.keep_tensors) {
    compared.expected = expected;
    compared.actual = own;
  }
  const bool is_alike = expected.sizes() == own.sizes();
  const bool has_elements = options.lenient && expected.numel() == own.numel();
  if ((!is_alike && !has_elements) || !SameDType(expected.scalar_type(), own.scalar_type(), options.lenient)) {
    compared.has_other_form = true;
    compared.obstacle = absl::StrCat("wants ", Description(expected), ", has ", Description(own));
    return compared;
  }
  const auto shaped = [&](const at::Tensor& tensor) {
    return is_alike || !tensor.defined() || tensor.numel() != expected.numel() ? tensor
                                                                               : tensor.reshape(expected.sizes());
  };
  RETURN_IF_ERROR(CatchTorch([&] {
    CompareElements(expected, shaped(own), passed.calls, shaped(rounded), shaped(wide), NoiseOf(reference, passed.name),
                    ReferencePrecision(reference), options.tolerance, compared);
  }));
  if (is_alike) return compared;
  if (compared.passed()) {
    compared.own_shape = own.sizes().vec();
    if (options.keep_tensors) compared.actual = shaped(own);
    return compared;
  }
  // Other elements in another shape: the shape is what to tell.
  compared.measures = {};
  compared.tolerance = 0;
  compared.obstacle = absl::StrCat("wants ", Description(expected), ", has ", Description(own));
  return compared;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double SumOfSquares(const at::Tensor& tensor) { return tensor.square().sum().item<double>(); }

// Reads a bound of at least `smallest`; `value` stays as it is if the bound is left out.
bool ReadBound(absl::string_view text, int64_t smallest, int64_t& value) {
  return text.empty() || (absl::SimpleAtoi(text, &value) && value >= smallest);
}

// Slices one dimension.
bool SliceDimension(absl::string_view text, int64_t dim, at::Tensor& tensor) {
  std::vector<absl::string_view> bounds = absl::StrSplit(text, ':');
  if (bounds.size() < 2 || bounds.size() > 3 || dim >= tensor.dim()) return false;
  bounds.resize(3);
  int64_t begin = 0, end = tensor.size(dim), step = 1;
  if (!ReadBound(bounds[0], 0, begin) || !ReadBound(bounds[1], 0, end) || !ReadBound(bounds[2], 1, step)) return false;
  tensor = tensor.slice(dim, begin, end, step);
  return true;
}

// Moves stages of another form to ReferenceComparison::other_forms: where all outputs pass, or else those that `own`,
// of the module's own tensors, has there; null: there is none.
void SetOtherFormsApart(const ReferenceComparison* own, ReferenceComparison& comparison) {
  std::vector<ComparedTensor>& tensors = comparison.tensors;
  const auto is_result = [](const ComparedTensor& tensor) { return tensor.point.is_result; };
  const bool pass = std::any_of(tensors.begin(), tensors.end(), is_result) &&
                    std::all_of(tensors.begin(), tensors.end(),
                                [&](const ComparedTensor& tensor) { return !is_result(tensor) || tensor.passed(); });
  const auto is_apart = [&](const ComparedTensor& tensor) {
    if (tensor.point.is_result || !tensor.has_other_form) return false;
    return own == nullptr ? pass : own->other_forms.count(tensor.name) > 0;
  };
  for (const ComparedTensor& tensor : tensors) {
    if (is_apart(tensor)) comparison.other_forms[tensor.name] = tensor.obstacle;
  }
  std::erase_if(tensors, is_apart);
}

}  // namespace

absl::StatusOr<ReferenceComparison> CompareReference(const torch::jit::Module& module, const Reference& reference,
                                                     const CompareOptions& options) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments,
                   FindArguments(module, reference, options.lenient ? Precision::kAny : Precision::kEqual));
  ASSIGN_OR_RETURN(const ExpectedTensors expected, ExpectedTensors::Index(reference));
  if (!options.lenient) RETURN_IF_ERROR(CheckPaths(module, reference, expected));
  ASSIGN_OR_RETURN(const Injected injected, Injected::Parse(reference, expected, options.inject));
  ReferenceComparison comparison;
  std::map<std::string, int>& otherwise = comparison.called_otherwise;
  const auto is_injected = [&](const ObservedTensor& point) {
    return !point.is_result && otherwise.count(MethodOf(point.stage)) == 0 &&
           (options.inject_all || injected.Contains(point.stage));
  };
  Replaced replaced = {.replaces = is_injected};
  ASSIGN_OR_RETURN(replaced.from, FirstCall(reference, expected, options.from_stage));
  const bool injects = options.inject_all || !options.inject.empty();
  if (options.lenient && injects && options.own != nullptr) {
    otherwise = options.own->called_otherwise;
  } else if (options.lenient && injects) {
    // What is called more or less often than in the reference is known only after a run on the module's own tensors.
    const Replaced nothing = {.replaces = [](const ObservedTensor&) { return false; }, .from = replaced.from};
    ASSIGN_OR_RETURN(const MeasuredRun own, RunOnReference(module, reference, expected, arguments, nothing));
    otherwise = CalledOtherwise(expected, own);
  }
  ASSIGN_OR_RETURN(MeasuredRun run, RunOnReference(module, reference, expected, arguments, replaced));
  if (options.lenient && !injects) otherwise = CalledOtherwise(expected, run);
  for (const auto& [method, told] : otherwise) {
    comparison.other_calls.push_back(absl::StrCat(absl::StripSuffix(method, ".forward"), ": ", Calls(run.calls[method]),
                                                  ", the reference has ", told));
  }
  ASSIGN_OR_RETURN(comparison.not_computed, NotComputed(reference, expected, run, options));
  if (!options.tolerance) {
    const absl::Status measured = MeasureRounding(module, reference, expected, arguments, replaced, run);
    if (!measured.ok() && !StatesAllNoise(reference)) return measured;
  }
  const std::map<std::string, at::Tensor> tensors(reference.expected.begin(), reference.expected.end());
  for (const PassedTensor& passed : run.passed) {
    if (!passed.point.is_result && otherwise.count(MethodOf(passed.point.stage)) > 0) continue;
    const auto found = tensors.find(passed.name);
    if (found == tensors.end()) {
      comparison.unexpected.push_back(passed.point.name);
      continue;
    }
    ASSIGN_OR_RETURN(comparison.tensors.emplace_back(), Compare(reference, found->second, passed, run, options));
  }
  if (options.lenient && (!injects || options.own != nullptr)) {
    SetOtherFormsApart(injects ? options.own : nullptr, comparison);
  }
  AddValues(run, comparison);
  return comparison;
}

absl::StatusOr<ReferenceComparison> CompareWithKnobs(const torch::jit::Module& module, const Reference& reference,
                                                     const CompareOptions& options) {
  ASSIGN_OR_RETURN(const torch::jit::Module called, WithKnobs(module, reference));
  return CompareReference(called, reference, options);
}

double Measures::relative() const {
  if (max_abs == 0) return 0;
  return scale == 0 ? kInfinity : max_abs / scale;
}

Measures Measure(const at::Tensor& expected, const at::Tensor& actual) {
  Measures measures;
  measures.nan = actual.isnan().sum().item<int64_t>();
  measures.infinite = actual.isinf().sum().item<int64_t>();
  measures.snr = kInfinity;
  if (expected.numel() == 0) return measures;
  const at::Tensor e = expected.to(at::kDouble), a = actual.to(at::kDouble);
  const at::Tensor difference = (e - a).abs();
  measures.scale = e.abs().max().item<double>();
  const double largest = difference.max().item<double>();
  measures.max_abs = std::isfinite(largest) ? largest : kInfinity;
  if (expected.scalar_type() == at::kLong && measures.max_abs == 0) {
    // Large integers may be equal only in float64.
    measures.max_abs = expected.ne(actual.to(at::kLong)).any().item<bool>() ? 1 : 0;
  }
  measures.mean_abs = difference.mean().item<double>();
  const double energy = SumOfSquares(e), noise = SumOfSquares(difference), own = SumOfSquares(a);
  if (noise > 0 || std::isnan(noise)) measures.snr = 10 * std::log10(energy / noise);
  if (energy > 0 || own > 0) measures.cosine = (e * a).sum().item<double>() / std::sqrt(energy * own);
  return measures;
}

double Tolerance(double noise, double scale, at::ScalarType type) {
  if (!at::isFloatingType(type)) return 0;
  const double epsilon = Epsilon(type);
  return std::clamp(4 * noise, std::max(4e-6, epsilon) * scale, std::max(1e-3, 16 * epsilon) * scale);
}

double MostRounding(int calls, double scale, at::ScalarType type) {
  return 8 * Epsilon(type) * std::sqrt(1.0 + calls) * scale;
}

absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice) {
  if (slice.empty()) return tensor;
  absl::string_view inner = slice;
  bool fits = absl::ConsumePrefix(&inner, "[") && absl::ConsumeSuffix(&inner, "]");
  int64_t dim = 0;
  for (absl::string_view part : absl::StrSplit(inner, ", ")) fits = fits && SliceDimension(part, dim++, tensor);
  if (fits) return tensor;
  return absl::InvalidArgumentError(absl::StrCat("the slice ", Brief(slice), " does not fit a tensor of ", tensor.dim(),
                                                 " dimensions; wants a form such as [0:1, ::2]"));
}

}  // namespace modelport
