#include "artifact/request/artifact_request.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/find_wrapper.h"

namespace modelport {
namespace {

absl::StatusOr<ChosenWrapper> ChooseWrapper(const ArtifactRequest& request) {
  return FindWrapper(*request.entry.plugin, *request.entry.variant, *request.target, request.with_preprocess,
                     request.wrapper);
}

std::string WeightsText(const WeightSource& weights) {
  if (const auto* const seeded = std::get_if<Seeded>(&weights)) return SeededName(*seeded);
  std::vector<std::string> choices;
  for (const CheckpointFile& file : std::get<CheckpointFiles>(weights)) {
    const SourceChoice& choice = file.choice;
    choices.push_back(
        absl::StrCat(choice.layout, choice.state_dict ? absl::StrCat(" state_dict=", *choice.state_dict) : ""));
  }
  return absl::StrJoin(choices, "\n");
}

}  // namespace

std::string RequestText(const ArtifactRequest& request) {
  return absl::StrCat("model=", request.entry.variant->name, "\ntarget=", request.target->name,
                      "\nwrapper=", request.wrapper,
                      "\nruntime=", request.runtime == nullptr ? "" : request.runtime->name,
                      "\ndtype=", DTypeName(request.dtype), "\noutputs=", absl::StrJoin(request.outputs, ","),
                      "\nwith_preprocess=", request.with_preprocess, "\nweights=", WeightsText(request.weights), "\n");
}

absl::StatusOr<std::string> NameOfArtifact(const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(const ChosenWrapper chosen, ChooseWrapper(request));
  return ArtifactName(request.entry.variant->name, chosen.name);
}

absl::StatusOr<ArtifactRequest> StatedRequest(const Registry& registry, const Manifest& stated) {
  ArtifactRequest request;
  ASSIGN_OR_RETURN(request.entry, registry.Find(stated.model()));
  ASSIGN_OR_RETURN(request.target, FindTarget(stated.target()));
  if (!stated.runtime().empty()) {
    ASSIGN_OR_RETURN(request.runtime, FindRuntime(stated.runtime()));
  }
  const absl::optional<DType> dtype = ParseDType(stated.dtype());
  if (!dtype) return absl::DataLossError(absl::StrCat("unknown dtype ", Brief(stated.dtype())));
  request.dtype = *dtype;
  request.with_preprocess = !stated.preprocessing().module().empty() && !request.target->wraps;
  request.wrapper = stated.wrapper();
  request.outputs = {stated.outputs().kept().begin(), stated.outputs().kept().end()};
  if (const absl::optional<Seeded> seeded = ParseSeededName(stated.source())) request.weights = *seeded;
  RETURN_IF_ERROR(ChooseWrapper(request).status());
  return request;
}

}  // namespace modelport
