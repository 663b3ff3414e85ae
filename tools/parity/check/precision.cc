#include "tools/parity/check/precision.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/map_tensors.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// The submodules that stay in float32. Those below a kept one are kept with it.
class Kept {
 public:
  explicit Kept(std::vector<std::string> paths) {
    for (const std::string& path : paths) {
      const bool is_inner = std::any_of(
          paths.begin(), paths.end(), [&](const std::string& other) { return path != other && IsWithin(path, other); });
      if (!is_inner) paths_.push_back(path);
    }
  }

  bool Contains(absl::string_view path) const { return std::find(paths_.begin(), paths_.end(), path) != paths_.end(); }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

// The largest error of an output of a module of which all but `kept` compute in `type`.
absl::StatusOr<double> MixedError(const torch::jit::Module& module, const Reference& reference, at::ScalarType type,
                                  const Kept& kept, const std::vector<c10::IValue>& arguments) {
  const std::map<std::string, at::Tensor> expected(reference.expected.begin(), reference.expected.end());
  ASSIGN_OR_RETURN(const torch::jit::Module mixed, CatchTorch([&] {
                     return TypedCopy(module, type, [&](absl::string_view path) { return kept.Contains(path); });
                   }));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> typed, CatchTorch([&] { return TypedCopy(arguments, type); }));
  double error = 0;
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    if (!tensor.is_floating_point()) return tensor;
    const auto output = point.is_result ? expected.find(point.name) : expected.end();
    if (output != expected.end()) error = std::max(error, Measure(output->second, tensor).relative());
    const std::string& path = point.stage.path;
    // A kept module that calls methods of its own is in float32 on both sides.
    const bool is_own = IsWithin(point.caller, path);
    if (point.is_result || is_own || !kept.Contains(path)) return tensor;
    return tensor.to(point.stage.side == Stage::Side::kInput ? at::kFloat : type);
  };
  const absl::Status status = RunObserved(mixed, reference.method, typed, observe).status();
  if (status.ok()) return error;
  return absl::FailedPreconditionError(absl::StrCat(reference.path, ": the module does not run in ",
                                                    c10::toString(type), " with ", kept.paths().size(),
                                                    " submodules in float32: ", status.message()));
}

}  // namespace

absl::StatusOr<std::vector<ComparedTensor>> FindLosses(const torch::jit::Module& module, const Reference& reference,
                                                       at::ScalarType type) {
  ASSIGN_OR_RETURN(const torch::jit::Module copy, CatchTorch([&] { return TypedCopy(module, type); }));
  ASSIGN_OR_RETURN(ReferenceComparison comparison,
                   CompareReference(copy, reference, {.tolerance = 0, .lenient = true, .inject_all = true}));
  std::vector<ComparedTensor> losses;
  for (ComparedTensor& tensor : comparison.tensors) {
    const bool is_inner = !tensor.point.is_result && !tensor.point.stage.path.empty();
    if (is_inner && tensor.point.stage.side == Stage::Side::kOutput) losses.push_back(std::move(tensor));
  }
  std::stable_sort(losses.begin(), losses.end(), [](const ComparedTensor& a, const ComparedTensor& b) {
    return a.measures.relative() > b.measures.relative();
  });
  return losses;
}

absl::StatusOr<MixedPrecision> FindMixedPrecision(const torch::jit::Module& module, const Reference& reference,
                                                  at::ScalarType type, const std::vector<ComparedTensor>& losses,
                                                  double error) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments, FindArguments(module, reference, Precision::kAny));
  std::vector<std::string> paths;
  for (const ComparedTensor& loss : losses) {
    const std::string& path = loss.point.stage.path;
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  MixedPrecision found;
  const auto try_first = [&](size_t count) -> absl::StatusOr<double> {
    ++found.runs;
    return MixedError(module, reference, type, Kept({paths.begin(), paths.begin() + count}), arguments);
  };
  size_t too_few = 0, enough = paths.size();  // Numbers of modules to keep.
  ASSIGN_OR_RETURN(found.error, try_first(0));
  if (found.error <= error) {
    enough = 0;
  } else {
    ASSIGN_OR_RETURN(found.error, try_first(enough));
  }
  while (enough > too_few + 1 && found.error <= error) {
    const size_t middle = too_few + (enough - too_few) / 2;
    ASSIGN_OR_RETURN(const double middle_error, try_first(middle));
    if (middle_error <= error) {
      enough = middle;
      found.error = middle_error;
    } else {
      too_few = middle;
    }
  }
  const Kept kept({paths.begin(), paths.begin() + enough});
  found.kept = kept.paths();
  found.elements = CountElements(module);
  for (const auto& submodule : module.named_modules()) {
    if (kept.Contains(submodule.name)) found.kept_elements += CountElements(submodule.value);
  }
  return found;
}

}  // namespace modelport
