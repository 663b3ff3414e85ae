#include "artifact/manifest/weights_audit.h"

#include <cstddef>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "artifact/manifest/describe_export.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/torchscript/weights/weights.h"
#include "registry/recognise/published_file.h"

namespace modelport {

WeightsAudit::WeightsAudit(const ArtifactRequest& request, FormattedArtifact& artifact)
    : request_(request), artifact_(artifact) {
  if (std::holds_alternative<Seeded>(request.weights)) return;
  for (const MappedPart& part : artifact.artifact.weights.mapped) {
    BackgroundDigest& digest = digests_.emplace_back();
    for (const OpenedFile& file : part.checkpoint.files()) digest.Append(file.bytes);
  }
}

absl::Status WeightsAudit::Finish(const Registry& registry, bool allow_nonfinite) {
  ArtifactWeights& weights = artifact_.artifact.weights;
  for (size_t i = 0; i < weights.mapped.size(); ++i) {
    const auto& [part, checkpoint, plan] = weights.mapped[i];
    RETURN_IF_ERROR(VerifyInputs(checkpoint, plan.sources));
    RETURN_IF_ERROR(AuditValues(checkpoint, plan, part.tree, weights.bound[i], allow_nonfinite));
  }
  if (const auto* const seeded = std::get_if<Seeded>(&request_.weights)) {
    weights.sources = {SeededName(*seeded)};
  } else {
    for (BackgroundDigest& digest : digests_) {
      weights.sources.push_back(absl::StrCat("sha256:", digest.HexDigest()));
    }
  }
  RETURN_IF_ERROR(CheckPublishedFiles(registry, request_.entry, weights.mapped, weights.sources));
  DescribeSource(request_, weights, artifact_.manifest);
  return absl::OkStatus();
}

}  // namespace modelport
