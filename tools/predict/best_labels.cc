#include "tools/predict/best_labels.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

constexpr int64_t kBestLabels = 5;

// The names of the classes; none if the artifact has no method for them.
absl::StatusOr<std::vector<std::string>> ClassNames(const LoadedArtifact& artifact, int64_t classes) {
  const auto method = artifact.module.find_method("labels");
  if (!method) return std::vector<std::string>();
  const absl::StatusOr<c10::IValue> result = CatchTorch([&] { return (*method)({}); });
  if (!result.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(artifact.path, ": labels(): ", result.status().message()));
  }
  if (!result->isList() || result->toList().elementType()->kind() != c10::TypeKind::StringType) {
    return absl::FailedPreconditionError(
        absl::StrCat(artifact.path, ": labels() wants to give List[str], gives ", result->type()->annotation_str()));
  }
  std::vector<std::string> names;
  for (const c10::IValue& name : result->toListRef()) names.push_back(name.toStringRef());
  if (names.empty() || static_cast<int64_t>(names.size()) == classes) return names;
  return absl::FailedPreconditionError(
      absl::StrCat(artifact.path, ": labels() wants a name for each of ", classes, " classes, gives ", names.size()));
}

}  // namespace

absl::StatusOr<std::vector<Label>> BestLabels(const LoadedArtifact& artifact, const at::Tensor& scores) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ClassNames(artifact, scores.size(0)));
  return CatchTorch([&] {
    const auto [values, indices] = at::softmax(scores, 0).topk(std::min(kBestLabels, scores.size(0)));
    std::vector<Label> labels;
    for (int64_t i = 0; i < values.size(0); ++i) {
      const int64_t index = indices[i].item<int64_t>();
      labels.push_back({index, values[i].item<double>(), names.empty() ? "" : names[index]});
    }
    return labels;
  });
}

}  // namespace modelport
