#include "artifact/manifest/describe_export.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "artifact/build/build_artifact.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/constant.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "common/torchscript/weights/weights.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/published_file.h"
#include "registry/recognise/weight_source.h"

namespace modelport {
namespace {

// Says which file `checkpoint`, whose source is stated, is.
void DescribePart(const PublishedFile& published, Manifest::Checkpoint& checkpoint) {
  checkpoint.set_part(published.part);
  checkpoint.set_file(published.name);
  checkpoint.set_published(IsPublished(published, checkpoint.source()));
}

// Adds how the checkpoint of one part is read.
void DescribeCheckpoint(const std::string& source, const MappedPart& mapped, Manifest::Checkpoint& message) {
  const Plan& plan = mapped.plan;
  message.set_source(source);
  DescribePart(*mapped.part.file, message);
  message.set_layout(plan.layout);
  message.set_layout_note(plan.note);
  for (const auto& [key, reason] : plan.unused) {
    Manifest::Allowance& unused = *message.add_unused();
    unused.set_key(key);
    unused.set_reason(reason);
  }
  message.set_state_dict(plan.state_dict);
  message.set_module(plan.module);
  message.set_resampled(plan.is_resampled);
  for (const LeftOut& part : plan.left_out) {
    Manifest::LeftOut& left_out = *message.add_left_out();
    left_out.set_path(part.path);
    left_out.set_tensors(part.tensors);
    left_out.set_elements(part.elements);
  }
  for (const std::string& field : plan.unknown_config) message.add_config_not_compared(field);
  for (const RenamedKeys& keys : plan.old_names) {
    Manifest::OldName& old = *message.add_old_names();
    old.set_from(keys.from);
    old.set_to(keys.to);
    old.set_reason(keys.reason);
    old.set_tensors(keys.tensors);
  }
}

void DescribeConstant(const std::string& slot, const Constant& constant, Manifest::Weights& weights) {
  if (constant.is_zeros()) {
    Manifest::Allowance& allowance = *weights.add_zero_filled();
    allowance.set_key(slot);
    allowance.set_reason(constant.reason);
  } else {
    Manifest::Constant& entry = *weights.add_constants();
    entry.set_slot(slot);
    entry.set_value(NumbersText(constant.values));
    entry.set_reason(constant.reason);
  }
}

// Adds the slots of one part that are no tensor of their own in the checkpoint.
void DescribeSlots(const MappedPart& mapped, Manifest::Weights& weights) {
  const Plan& plan = mapped.plan;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const Constant* const constant = plan.sources[i].constant();
    if (constant != nullptr) {
      DescribeConstant(mapped.part.SlotName(mapped.part.tree.slots[i].name), *constant, weights);
    }
  }
  for (const ChangedSlot& slot : plan.changed) {
    Manifest::Changed& changed = *weights.add_changed();
    changed.set_slot(mapped.part.SlotName(slot.slot));
    changed.set_operation(slot.operation);
    changed.set_reason(slot.reason);
  }
  for (const auto& [slot, key] : plan.aliases) {
    Manifest::Alias& alias = *weights.add_aliases();
    alias.set_slot(mapped.part.SlotName(slot));
    alias.set_stored_as(mapped.part.SlotName(key));
  }
}

// Says of each argument of the root what told it, if some are not the catalog's, or if the weights may be another file
// than the published one, of which the arguments may be others.
void DescribeArguments(const ArtifactRequest& request, Manifest::Weights& weights) {
  const auto& [plugin, variant] = request.entry;
  const bool is_other =
      std::any_of(weights.checkpoints().begin(), weights.checkpoints().end(),
                  [](const auto& checkpoint) { return !absl::StartsWith(checkpoint.published(), "yes"); });
  // Without rules of the plugin nothing tells what a file tells.
  const bool has_rules = plugin->arguments.count(variant->module.type) > 0;
  if (request.arguments.empty() && !(is_other && has_rules)) return;
  for (const auto& [name, value, origin] : OriginsOf(*plugin, variant->module, request.arguments)) {
    Manifest::ArgumentOrigin& argument = *weights.add_arguments();
    argument.set_name(name);
    argument.set_value(value);
    argument.set_origin(std::string(OriginName(origin)));
  }
}

void DescribeConversions(const std::vector<BoundTensors>& bound, Manifest::Weights& weights) {
  std::map<DType, Manifest::Conversion> conversions;
  for (const BoundTensors& part : bound) {
    for (const auto& [dtype, converted] : part.converted) {
      Manifest::Conversion& conversion = conversions[dtype];
      conversion.set_from(std::string(DTypeName(dtype)));
      conversion.set_tensors(conversion.tensors() + converted.slots.size());
      conversion.set_became_zero(conversion.became_zero() + converted.underflow.zeros);
      conversion.set_became_subnormal(conversion.became_subnormal() + converted.underflow.subnormals);
    }
  }
  for (const auto& [dtype, conversion] : conversions) *weights.add_converted() = conversion;
}

}  // namespace

void DescribeSource(const ArtifactRequest& request, const ArtifactWeights& weights, Manifest& manifest) {
  Manifest::Weights& described = *manifest.mutable_weights();
  if (ParseSeededName(weights.sources.front())) {
    manifest.set_warning("SEEDED weights: predicts nothing");
    described.set_seeded(weights.sources.front());
  } else {
    for (size_t i = 0; i < weights.mapped.size(); ++i) {
      DescribeCheckpoint(weights.sources[i], weights.mapped[i], *described.add_checkpoints());
    }
    DescribeArguments(request, described);
  }
  for (const MappedPart& part : weights.mapped) DescribeSlots(part, described);
  DescribeConversions(weights.bound, described);
}

Manifest ManifestWithin(Manifest manifest) {
  manifest.clear_artifact();
  manifest.clear_round_trip();
  if (!ParseSeededName(manifest.weights().seeded())) manifest.clear_weights();
  return manifest;
}

void CopySource(const Manifest& stated, const std::vector<WeightPart>& parts, Manifest& manifest) {
  *manifest.mutable_weights() = stated.weights();
  for (size_t i = 0; i < parts.size(); ++i) {
    DescribePart(*parts[i].file, *manifest.mutable_weights()->mutable_checkpoints(i));
  }
}

void DescribeFile(const std::string& sha256, int64_t size, Manifest& manifest) {
  Manifest::Artifact& artifact = *manifest.mutable_artifact();
  artifact.set_sha256(sha256);
  artifact.set_size_bytes(size);
}

void DescribeData(const std::string& name, const std::string& sha256, int64_t size, Manifest& manifest) {
  Manifest::DataFile& data = *manifest.mutable_artifact()->mutable_data();
  data.set_name(name);
  data.set_sha256(sha256);
  data.set_size_bytes(size);
}

void DescribeProof(const absl::optional<RoundTrip>& round_trip, Manifest& manifest) {
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.set_proven(round_trip.has_value());
  if (!round_trip) return;
  proof.set_tensors(round_trip->tensors);
  proof.set_methods(round_trip->methods);
  proof.set_kernel_fault(round_trip->kernel_fault);
  proof.set_runtime(round_trip->runtime);
  for (const ComparedOutput& output : round_trip->outputs) {
    Manifest::Output& entry = *proof.add_outputs();
    entry.set_call(output.call);
    entry.set_max_abs(output.max_abs);
    entry.set_relative(output.relative);
    entry.set_equal_on_same_memory(output.equal_on_same_memory);
    entry.set_nan(output.nan);
    entry.set_infinite(output.infinite);
    for (const int64_t size : output.shape) entry.add_shape(size);
  }
}

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
