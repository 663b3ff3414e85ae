#include "pipeline/describe_export.h"

#include <torch/version.h>

#include <variant>

#include "common/artifact/runtime_obstacles.h"
#include "pipeline/version.h"

namespace modelport {
namespace {

void DescribePlugin(const Plugin& plugin, const Target& target, Manifest& manifest) {
  manifest.set_family(plugin.family);
  manifest.mutable_upstream()->set_source(plugin.upstream);
  manifest.mutable_upstream()->set_commit(plugin.commit);
  manifest.mutable_upstream()->set_licence(plugin.licence);
  manifest.set_plugin_sha256(plugin.plugin_digest);
  manifest.set_key_map_sha256(plugin.key_map_digest);
  Manifest::Preprocessing& preprocessing = *manifest.mutable_preprocessing();
  for (const double mean : plugin.preprocessing.mean) preprocessing.add_mean(mean);
  for (const double std : plugin.preprocessing.std) preprocessing.add_std(std);
  preprocessing.set_multiple_of(plugin.preprocessing.multiple_of);
  preprocessing.set_inside(target.wraps);
}

void DescribeWeights(const MappedWeights& weights, const BoundTensors& bound, Manifest& manifest) {
  const Plan& plan = weights.plan;
  manifest.set_layout(plan.layout);
  double parameters = 0;
  for (size_t i = 0; i < weights.tree.slots.size(); ++i) {
    const Slot& slot = weights.tree.slots[i];
    if (!slot.is_buffer) parameters += bound.tensors[i].numel();
    if (plan.sources[i].tensor != nullptr) continue;
    Manifest::Allowance& zeros = *manifest.add_zero_filled();
    zeros.set_key(slot.name);
    zeros.set_reason(plan.sources[i].reason);
  }
  manifest.set_tensors(weights.tree.slots.size());
  manifest.set_parameters(parameters);
  for (const auto& [key, reason] : plan.unused) {
    Manifest::Allowance& unused = *manifest.add_unused();
    unused.set_key(key);
    unused.set_reason(reason);
  }
  manifest.set_state_dict(plan.state_dict);
  for (const LeftOut& part : plan.left_out) {
    Manifest::LeftOut& left_out = *manifest.add_left_out();
    left_out.set_path(part.path);
    left_out.set_tensors(part.tensors);
    left_out.set_elements(part.elements);
  }
  for (const auto& [slot, key] : plan.aliases) {
    Manifest::Alias& alias = *manifest.add_aliases();
    alias.set_slot(slot);
    alias.set_stored_as(key);
  }
  for (const auto& [dtype, converted] : bound.converted) {
    Manifest::Conversion& conversion = *manifest.add_converted();
    conversion.set_from(std::string(DTypeName(dtype)));
    conversion.set_tensors(converted.slots.size());
    conversion.set_became_zero(converted.underflow.zeros);
    conversion.set_became_subnormal(converted.underflow.subnormals);
  }
}

void DescribeArtifact(const ExportFacts& facts, Manifest& manifest) {
  Manifest::Artifact& artifact = *manifest.mutable_artifact();
  artifact.set_sha256(facts.artifact_sha256);
  artifact.set_size_bytes(facts.artifact_size);
  artifact.set_archive_version(facts.format.version);
  for (const Operator& op : facts.operators) {
    Manifest::Operator& entry = *manifest.add_operators();
    entry.set_name(op.name);
    entry.set_overload(op.overload);
    entry.set_version(op.version);
  }
  if (facts.runtime != nullptr) manifest.set_runtime(std::string(facts.runtime->name));
  manifest.set_minimum_runtime(MinimumRuntime(facts.format, facts.operators));
  for (const std::string& method : MethodSchemas(facts.module)) manifest.add_methods(method);
}

void DescribeRoot(const ModuleNode& root, Manifest& manifest) {
  for (const auto& [name, value] : root.constants) {
    const bool* const flag = std::get_if<bool>(&value);
    if (name == "larger_is_nearer" && flag != nullptr) manifest.set_larger_is(*flag ? "nearer" : "farther");
  }
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

void DescribeRoundTrip(const RoundTrip& round_trip, Manifest& manifest) {
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.set_proven(true);
  proof.set_tensors(round_trip.tensors);
  proof.set_methods(round_trip.methods);
  for (const RoundTrip::Output& output : round_trip.outputs) {
    Manifest::Output& entry = *proof.add_outputs();
    entry.set_call(output.call);
    entry.set_max_abs(output.max_abs);
    entry.set_relative(output.relative);
    entry.set_equal_on_same_memory(output.equal_on_same_memory);
    for (const int64_t size : output.shape) entry.add_shape(size);
  }
}

}  // namespace

Manifest DescribeExport(const ExportFacts& facts) {
  Manifest manifest;
  manifest.set_model(facts.entry.variant->name);
  manifest.set_target(facts.target.name);
  manifest.set_dtype(std::string(DTypeName(facts.dtype)));
  manifest.set_source(facts.source);
  manifest.set_weights_licence(facts.entry.variant->licence);
  manifest.set_modelport_version(kModelportVersion);
  manifest.set_libtorch_version(TORCH_VERSION);
  DescribePlugin(*facts.entry.plugin, facts.target, manifest);
  DescribeWeights(facts.weights, facts.bound, manifest);
  DescribeArtifact(facts, manifest);
  DescribeRoot(facts.root, manifest);
  manifest.mutable_round_trip()->set_proven(false);
  if (facts.round_trip) DescribeRoundTrip(*facts.round_trip, manifest);
  return manifest;
}

}  // namespace modelport
