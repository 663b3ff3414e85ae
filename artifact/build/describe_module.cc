#include "artifact/build/describe_module.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/manifest/version.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/keep_outputs.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/torchscript/runtime/operators.h"
#include "registry/plugin.h"

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
  manifest.set_tensors(tree.whole->slots.size());
  manifest.set_parameters(parameters);
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

std::string DTypeOf(const Port& port, DType usual) {
  if (!port.shape.has_value()) return "";
  return port.dtype.empty() ? std::string(DTypeName(usual)) : port.dtype;
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

void DescribeInput(const Port& port, const MethodTypes::Argument& argument, const Preprocessing& preprocessing,
                   DType dtype, Manifest::Input& input) {
  DescribePort(port, input);
  input.set_type(argument.type);
  input.set_default_value(argument.value.value_or(""));
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

// What the entry points of the module take and give. `ports` is the dtype of those that state none.
void DescribeEntryPoints(DType ports, const Preprocessing& preprocessing, const BuiltModule& built,
                         Manifest& manifest) {
  for (const EntryPoint& entry_point : built.entry_points) {
    Manifest::EntryPoint& entry = *manifest.add_entry_points();
    const MethodTypes types = TypesOf(built, entry_point);
    entry.set_method(entry_point.method);
    for (size_t i = 0; i < entry_point.inputs.size(); ++i) {
      DescribeInput(entry_point.inputs[i], types.arguments[i], preprocessing, ports, *entry.add_inputs());
    }
    entry.set_returns(types.returns);
    for (size_t i = 0; i < entry_point.outputs.size(); ++i) {
      DescribeOutput(entry_point.outputs[i], types.places[i], ports, *entry.add_outputs());
    }
  }
}

}  // namespace

Manifest DescribeModule(const ArtifactRequest& request, const Preprocessing& preprocessing, const TargetTree& tree,
                        const ArtifactFormat& format, const PreparedArtifact& prepared, const BuiltModule& built) {
  const Plugin& plugin = *request.entry.plugin;
  const Variant& variant = *request.entry.variant;
  Manifest manifest;
  manifest.set_model(variant.name);
  for (const auto& [name, value] : request.arguments) {
    Manifest::Argument& argument = *manifest.add_arguments();
    argument.set_name(name);
    argument.set_value(value);
  }
  for (const auto& [letter, number] : request.sizes) {
    Manifest::Size& size = *manifest.add_sizes();
    size.set_letter(letter);
    size.set_size(number);
  }
  for (const auto& [name, value] : request.knobs) {
    Manifest::KnobValue& knob = *manifest.add_knob_values();
    knob.set_name(name);
    knob.set_value(value);
  }
  manifest.set_target(request.target->name);
  manifest.set_wrapper(tree.wrapper_name);
  manifest.set_dtype(std::string(DTypeName(request.dtype)));
  manifest.set_title(variant.title);
  manifest.set_summary(variant.summary);
  manifest.set_weights_licence(variant.licence);
  for (const LicenceClaim& claim : variant.licence_claims) {
    Manifest::LicenceClaim& entry = *manifest.add_licence_claims();
    entry.set_licence(claim.licence);
    entry.set_url(claim.url);
  }
  manifest.set_licence_note(variant.licence_note);
  manifest.set_weights_url(WeightsUrl(variant));
  manifest.set_manifest_version(kManifestVersion);
  manifest.set_modelport_version(kModelportVersion);
  manifest.set_libtorch_version(std::string(LibTorchVersion()));
  DescribePlugin(plugin, manifest);
  DescribePreprocessing(preprocessing, tree, manifest);
  DescribeOutputs(tree.kept, manifest);
  DescribeTensors(tree, manifest);
  prepared.DescribeCode(manifest);
  if (tree.is_wrapped()) DescribeInterface(*tree.whole->interface, manifest);
  DescribeEntryPoints(format.PortType(request.dtype), preprocessing, built, manifest);
  if (format.keeps_knobs()) DescribeKnobs(tree.whole->root, manifest);
  return manifest;
}

}  // namespace modelport
