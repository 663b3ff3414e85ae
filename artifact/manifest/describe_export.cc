#include "artifact/manifest/describe_export.h"

#include <google/protobuf/util/field_mask_util.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/version.h>

#include <map>
#include <sstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/manifest/version.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/keep_outputs.h"
#include "common/operation/constant.h"
#include "common/tensor/number.h"
#include "common/tensor/shape.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "registry/recognise/published_file.h"
#include "registry/recognise/weight_source.h"

namespace modelport {
namespace {

void DescribePlugin(const Plugin& plugin, Manifest& manifest) {
  manifest.set_family(plugin.family);
  manifest.set_family_summary(plugin.summary);
  manifest.mutable_upstream()->set_source(plugin.upstream);
  manifest.mutable_upstream()->set_commit(plugin.commit);
  manifest.mutable_upstream()->set_licence(plugin.licence);
  manifest.set_plugin_sha256(plugin.plugin_digest);
  manifest.set_key_map_sha256(plugin.key_map_digest);
}

void DescribePreprocessing(const Preprocessing& stated, const TargetTree& tree, Manifest& manifest) {
  Manifest::Preprocessing& preprocessing = *manifest.mutable_preprocessing();
  for (const double mean : stated.mean) preprocessing.add_mean(mean);
  for (const double std : stated.std) preprocessing.add_std(std);
  preprocessing.set_multiple_of(stated.multiple_of);
  preprocessing.set_inside(tree.is_wrapped());
  preprocessing.set_channels(stated.channels);
  for (const int64_t side : stated.size) preprocessing.add_size(side);
  preprocessing.set_module(tree.wrapper);
}

void DescribeOutputs(const KeptOutputs& kept, Manifest& manifest) {
  if (kept.left_out.empty()) return;
  Manifest::Outputs& outputs = *manifest.mutable_outputs();
  for (const std::string& name : kept.names) outputs.add_kept(name);
  for (const std::string& name : kept.left_out) outputs.add_left_out(name);
  for (const std::string& slot : kept.left_out_slots) outputs.add_tensors(slot);
}

void DescribeTensors(const TargetTree& tree, Manifest& manifest) {
  double parameters = 0;
  for (const Slot& slot : tree.whole->slots) {
    if (!slot.is_buffer) parameters += *ElementCount(slot.shape);
  }
  manifest.set_tensors(tree.whole->slots.size() + tree.tables.size());
  manifest.set_parameters(parameters);
}

void DescribeCode(const ArtifactParts& parts, Manifest& manifest) {
  for (const Operator& op : parts.operators) {
    Manifest::Operator& entry = *manifest.add_operators();
    entry.set_name(op.name);
    entry.set_overload(op.overload);
    entry.set_version(op.version);
  }
  if (parts.runtime != nullptr) manifest.set_runtime(std::string(parts.runtime->name));
  manifest.set_minimum_runtime(MinimumRuntime(parts.format, parts.operators));
  for (const std::string& method : MethodSchemas(parts.module)) manifest.add_methods(method);
}

void DescribeInterface(const Interface& interface, Manifest& manifest) {
  Manifest::Interface& entry = *manifest.mutable_interface();
  entry.set_kind(interface.kind);
  for (const std::string& channel : interface.channels_in) entry.add_channels_in(channel);
  for (const std::string& channel : interface.channels_out) entry.add_channels_out(channel);
  entry.set_category(interface.category);
  entry.set_multiple_of(interface.multiple_of);
}

void DescribeKnobs(const ModuleNode& root, Manifest& manifest) {
  for (const Knob& knob : root.knobs) {
    Manifest::Knob& entry = *manifest.add_knobs();
    entry.set_name(knob.name);
    entry.set_type(knob.is_integer ? "int" : "float");
    entry.set_value(knob.value);
    entry.set_min(knob.min);
    entry.set_max(knob.max);
    entry.set_help(knob.help);
  }
}

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

// The places where the files of a variant are published.
std::string WeightsUrl(const Variant& variant) {
  std::vector<std::string> urls;
  for (const PublishedFile& file : variant.files) {
    if (!file.url.empty()) urls.push_back(file.url);
  }
  return absl::StrJoin(urls, ", ");
}

template <typename Message>
void DescribePort(const Port& port, Message& entry) {
  entry.set_name(port.name);
  if (port.shape.has_value()) {
    for (const Expression& size : *port.shape) entry.add_shape(size.text());
  }
  if (port.min.has_value()) entry.set_min(*port.min);
  if (port.max.has_value()) entry.set_max(*port.max);
  entry.set_help(port.help);
}

std::string DTypeOf(const Port& port, DType weights) {
  if (!port.shape.has_value()) return "";
  return port.dtype.empty() ? std::string(DTypeName(weights)) : port.dtype;
}

void DescribeImage(const Port& port, const Preprocessing& preprocessing, Manifest::Input& input) {
  const bool is_prepared = port.image == "prepared";
  input.set_layout(port.shape->size() == 5 ? "BNCHW" : "NCHW");
  input.set_normalised(is_prepared && !preprocessing.mean.empty());
  if (!input.normalised()) {
    input.set_min(0);
    input.set_max(1);
  }
  if (port.image == "any") input.set_dtype("uint8 or floating");
  input.set_multiple_of(is_prepared ? preprocessing.multiple_of : 1);
  if (port.size.value_or(0) > 0) {
    input.set_resize(port.resize);
    input.set_recommended_size(*port.size);
  }
}

void DescribeInput(const Port& port, const c10::Argument& argument, const Preprocessing& preprocessing, DType dtype,
                   Manifest::Input& input) {
  DescribePort(port, input);
  input.set_type(argument.type()->annotation_str());
  if (argument.default_value().has_value()) {
    std::ostringstream text;
    text << *argument.default_value();
    input.set_default_value(argument.default_value()->isString() ? absl::StrCat("\"", text.str(), "\"") : text.str());
  }
  input.set_dtype(DTypeOf(port, dtype));
  if (!port.image.empty()) DescribeImage(port, preprocessing, input);
}

void DescribeOutput(const Port& port, const std::string& place, DType dtype, Manifest::Result& output) {
  DescribePort(port, output);
  output.set_place(place);
  output.set_dtype(DTypeOf(port, dtype));
  output.set_unit(port.unit);
  output.set_larger_is(port.larger_is);
  output.set_only_with(port.only_with);
  output.set_only_without(port.only_without);
}

}  // namespace

Manifest DescribeModule(const ArtifactParts& parts) {
  Manifest manifest;
  manifest.set_model(parts.entry.variant->name);
  manifest.set_target(parts.target.name);
  manifest.set_wrapper(parts.tree.wrapper_name);
  manifest.set_dtype(std::string(DTypeName(parts.dtype)));
  manifest.set_title(parts.entry.variant->title);
  manifest.set_summary(parts.entry.variant->summary);
  manifest.set_weights_licence(parts.entry.variant->licence);
  for (const LicenceClaim& claim : parts.entry.variant->licence_claims) {
    Manifest::LicenceClaim& entry = *manifest.add_licence_claims();
    entry.set_licence(claim.licence);
    entry.set_url(claim.url);
  }
  manifest.set_licence_note(parts.entry.variant->licence_note);
  manifest.set_weights_url(WeightsUrl(*parts.entry.variant));
  manifest.set_modelport_version(kModelportVersion);
  manifest.set_libtorch_version(TORCH_VERSION);
  DescribePlugin(*parts.entry.plugin, manifest);
  DescribePreprocessing(parts.entry.plugin->preprocessing, parts.tree, manifest);
  DescribeOutputs(parts.tree.kept, manifest);
  DescribeTensors(parts.tree, manifest);
  DescribeCode(parts, manifest);
  if (parts.tree.is_wrapped()) DescribeInterface(*parts.tree.whole->interface, manifest);
  DescribeEntryPoints(parts.tree.whole->entry_points, parts.module, parts.entry.plugin->preprocessing, parts.dtype,
                      manifest);
  DescribeKnobs(parts.tree.whole->root, manifest);
  return manifest;
}

void DescribeSource(const std::vector<std::string>& sources, const std::vector<MappedPart>& parts,
                    const std::vector<BoundTensors>& bound, Manifest& manifest) {
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
  DescribeConversions(bound, manifest);
}

const std::vector<std::string>& SourceFields() {
  static const auto* const fields = new std::vector<std::string>{
      "source",  "layout",    "state_dict",  "zero_filled", "unused",  "converted",           "aliases",
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

void DescribeEntryPoints(const std::vector<EntryPoint>& entry_points, const torch::jit::Module& module,
                         const Preprocessing& preprocessing, DType dtype, Manifest& manifest) {
  for (const EntryPoint& entry_point : entry_points) {
    Manifest::EntryPoint& entry = *manifest.add_entry_points();
    const c10::FunctionSchema& schema = module.get_method(entry_point.method).function().getSchema();
    const c10::Type& result = *schema.returns()[0].type();
    entry.set_method(entry_point.method);
    for (size_t i = 0; i < entry_point.inputs.size(); ++i) {
      DescribeInput(entry_point.inputs[i], schema.arguments()[i + 1], preprocessing, dtype, *entry.add_inputs());
    }
    entry.set_returns(result.annotation_str());
    const auto places = OutputPlaces(entry_point, result);
    for (size_t i = 0; i < entry_point.outputs.size(); ++i) {
      DescribeOutput(entry_point.outputs[i], places->at(i), dtype, *entry.add_outputs());
    }
  }
}

}  // namespace modelport
