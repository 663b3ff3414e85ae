#include "tools/parity/check/precision.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <map>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// Those of `paths` that are within no other.
std::vector<std::string> Outermost(const std::vector<std::string>& paths) {
  std::vector<std::string> outermost;
  for (const std::string& path : paths) {
    const bool is_inner = std::any_of(paths.begin(), paths.end(),
                                      [&](const std::string& other) { return path != other && IsWithin(path, other); });
    if (!is_inner) outermost.push_back(path);
  }
  return outermost;
}

// The submodules that stay in float32. Those below a kept one are kept with it.
class Kept {
 public:
  explicit Kept(const std::vector<std::string>& paths) : paths_(Outermost(paths)) {}

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

// Of `paths` those that are within `path` and in no other of them within it.
std::vector<std::string> Children(const std::string& path, const std::vector<std::string>& paths) {
  std::vector<std::string> within;
  for (const std::string& other : paths) {
    if (other != path && IsWithin(other, path)) within.push_back(other);
  }
  return Outermost(within);
}

// A large model takes seconds a run.
constexpr int kMaxRuns = 64;

// Keeps less than `found.kept`, with which the error is at most `error`: in the place of a module its submodules of
// `paths`, and of all those none that can be left out.
absl::Status KeepLess(const std::vector<std::string>& paths, double error,
                      absl::FunctionRef<absl::StatusOr<double>(std::vector<std::string>)> try_paths,
                      MixedPrecision& found) {
  const auto try_to_keep = [&](const std::vector<std::string>& kept) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const double less, try_paths(kept));
    if (less > error) return false;
    found.kept = kept;
    found.error = less;
    return true;
  };
  for (size_t i = 0; i < found.kept.size() && found.runs < kMaxRuns;) {
    const std::vector<std::string> children = Children(found.kept[i], paths);
    std::vector<std::string> kept = found.kept;
    kept.erase(kept.begin() + i);
    kept.insert(kept.begin() + i, children.begin(), children.end());
    ASSIGN_OR_RETURN(const bool is_enough, children.empty() ? false : try_to_keep(kept));
    if (!is_enough) ++i;
  }
  for (size_t i = found.kept.size(); i > 0 && found.runs < kMaxRuns; --i) {
    std::vector<std::string> kept = found.kept;
    kept.erase(kept.begin() + (i - 1));
    RETURN_IF_ERROR(try_to_keep(kept).status());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ComparedTensor>> FindLosses(const torch::jit::Module& module, const Reference& reference,
                                                       at::ScalarType type) {
  ASSIGN_OR_RETURN(const torch::jit::Module copy, CatchTorch([&] { return TypedCopy(module, type); }));
  ASSIGN_OR_RETURN(ReferenceComparison comparison,
                   CompareReference(copy, reference, {.tolerance = 0, .lenient = true, .inject_all = true}));
  std::vector<ComparedTensor> losses;
  for (ComparedTensor& tensor : comparison.tensors) {
    const bool is_inner = !tensor.point.stage.path.empty() && tensor.point.stage.side == Stage::Side::kOutput;
    if (tensor.point.is_result || is_inner) losses.push_back(std::move(tensor));
  }
  std::stable_sort(losses.begin(), losses.end(), [](const ComparedTensor& a, const ComparedTensor& b) {
    if (a.point.is_result != b.point.is_result) return a.point.is_result;
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
    if (!loss.point.is_result && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  MixedPrecision found;
  const auto try_paths = [&](std::vector<std::string> kept) {
    ++found.runs;
    return MixedError(module, reference, type, Kept(std::move(kept)), arguments);
  };
  const auto try_first = [&](size_t count) { return try_paths({paths.begin(), paths.begin() + count}); };
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
  found.kept = Kept({paths.begin(), paths.begin() + enough}).paths();
  if (found.error <= error) {
    RETURN_IF_ERROR(KeepLess(paths, error, try_paths, found));
  }
  const Kept kept(found.kept);
  found.elements = CountElements(module);
  for (const auto& submodule : module.named_modules()) {
    if (kept.Contains(submodule.name)) found.kept_elements += CountElements(submodule.value);
  }
  return found;
}

}  // namespace modelport
