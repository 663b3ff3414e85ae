#include "artifact/manifest/describe_export.h"

#include <google/protobuf/util/field_mask_util.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/operation/constant.h"
#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "registry/recognise/published_file.h"
#include "registry/recognise/weight_source.h"

namespace modelport {
namespace {

void DescribePart(const PublishedFile& published, Manifest::Checkpoint& file) {
  file.set_part(published.part);
  file.set_file(published.name);
}

// Adds how the checkpoint of one part is read, to the manifest or to one of its Checkpoint messages.
template <typename Message>
void DescribeCheckpoint(const std::string& source, const Plan& plan, Message& message) {
  message.set_source(source);
  message.set_layout(plan.layout);
  for (const auto& [key, reason] : plan.unused) {
    Manifest::Allowance& unused = *message.add_unused();
    unused.set_key(key);
    unused.set_reason(reason);
  }
  message.set_state_dict(plan.state_dict);
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

void DescribeConstant(const std::string& slot, const Constant& constant, Manifest& manifest) {
  if (constant.is_zeros()) {
    Manifest::Allowance& allowance = *manifest.add_zero_filled();
    allowance.set_key(slot);
    allowance.set_reason(constant.reason);
  } else {
    Manifest::Constant& entry = *manifest.add_constants();
    entry.set_slot(slot);
    entry.set_value(NumberText(constant.value));
    entry.set_reason(constant.reason);
  }
}

// Adds the slots of one part that are no tensor of their own in the checkpoint.
void DescribeSlots(const MappedPart& mapped, Manifest& manifest) {
  const Plan& plan = mapped.plan;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const Constant* const constant = plan.sources[i].constant();
    if (constant != nullptr) {
      DescribeConstant(mapped.part.SlotName(mapped.part.tree.slots[i].name), *constant, manifest);
    }
  }
  for (const ChangedSlot& slot : plan.changed) {
    Manifest::Changed& changed = *manifest.add_changed();
    changed.set_slot(mapped.part.SlotName(slot.slot));
    changed.set_operation(slot.operation);
    changed.set_reason(slot.reason);
  }
  for (const auto& [slot, key] : plan.aliases) {
    Manifest::Alias& alias = *manifest.add_aliases();
    alias.set_slot(mapped.part.SlotName(slot));
    alias.set_stored_as(mapped.part.SlotName(key));
  }
}

void DescribeConversions(const std::vector<BoundTensors>& bound, Manifest& manifest) {
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
  for (const auto& [dtype, conversion] : conversions) *manifest.add_converted() = conversion;
}

void ClearField(const std::string& name, Manifest& manifest) {
  manifest.GetReflection()->ClearField(&manifest, manifest.GetDescriptor()->FindFieldByName(name));
}

}  // namespace

void DescribeSource(const ArtifactWeights& weights, Manifest& manifest) {
  const std::vector<std::string>& sources = weights.sources;
  const std::vector<MappedPart>& parts = weights.mapped;
  const bool is_seeded = ParseSeededName(sources.front()).has_value();
  if (is_seeded) manifest.set_warning("SEEDED weights: predicts nothing");
  if (is_seeded || parts.size() == 1) {
    DescribeCheckpoint(sources.front(), parts.front().plan, manifest);
    if (!is_seeded) manifest.set_published(IsPublished(*parts.front().part.file, sources.front()));
  } else {
    for (size_t i = 0; i < parts.size(); ++i) {
      Manifest::Checkpoint& file = *manifest.mutable_checkpoints()->add_files();
      DescribePart(*parts[i].part.file, file);
      DescribeCheckpoint(sources[i], parts[i].plan, file);
      file.set_published(IsPublished(*parts[i].part.file, sources[i]));
    }
  }
  for (const MappedPart& part : parts) DescribeSlots(part, manifest);
  DescribeConversions(weights.bound, manifest);
}

const std::vector<std::string>& SourceFields() {
  static const auto* const fields = new std::vector<std::string>{
      "source",   "layout",    "state_dict",  "zero_filled", "unused",  "converted",          "aliases",
      "left_out", "old_names", "checkpoints", "constants",   "changed", "config_not_compared"};
  return *fields;
}

Manifest ManifestWithin(Manifest manifest) {
  manifest.clear_artifact();
  manifest.clear_round_trip();
  if (ParseSeededName(manifest.source())) return manifest;
  for (const std::string& field : SourceFields()) ClearField(field, manifest);
  manifest.clear_published();
  return manifest;
}

void CopySource(const Manifest& stated, const std::vector<WeightPart>& parts, Manifest& manifest) {
  google::protobuf::FieldMask mask;
  for (const std::string& field : SourceFields()) mask.add_paths(field);
  google::protobuf::util::FieldMaskUtil::MergeMessageTo(stated, mask, {}, &manifest);
  if (parts.size() == 1) {
    manifest.set_published(IsPublished(*parts.front().file, manifest.source()));
    return manifest.clear_checkpoints();
  }
  // Each of several files has these of its own.
  for (const char* field :
       {"source", "layout", "state_dict", "unused", "left_out", "old_names", "config_not_compared"}) {
    ClearField(field, manifest);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    Manifest::Checkpoint& file = *manifest.mutable_checkpoints()->mutable_files(i);
    DescribePart(*parts[i].file, file);
    file.set_published(IsPublished(*parts[i].file, file.source()));
  }
}

void DescribeFile(const std::string& sha256, int64_t size, const ArchiveFormat& format, Manifest& manifest) {
  Manifest::Artifact& artifact = *manifest.mutable_artifact();
  artifact.set_sha256(sha256);
  artifact.set_size_bytes(size);
  artifact.set_archive_version(format.version);
}

void DescribeProof(const absl::optional<RoundTrip>& round_trip, Manifest& manifest) {
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.set_proven(round_trip.has_value());
  if (!round_trip) return;
  proof.set_tensors(round_trip->tensors);
  proof.set_methods(round_trip->methods);
  proof.set_kernel_fault(round_trip->kernel_fault);
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

}  // namespace modelport
