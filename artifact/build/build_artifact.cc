#include "artifact/build/build_artifact.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "artifact/build/formats.h"
#include "artifact/format/built_module.h"
#include "artifact/format/stored_tensors.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest_facts.h"
#include "common/manifest/version.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/keep_outputs.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/weights/weights.h"
#include "registry/plugin.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/recognise_model.h"

namespace modelport {
namespace {

// Removes the slots that are left out.
void KeepSlotsOf(const std::set<std::string>& left_out, MappedPart& mapped) {
  const auto is_out = [&](const std::string& slot) { return left_out.count(mapped.part.SlotName(slot)) > 0; };
  Plan& plan = mapped.plan;
  std::vector<Slot> slots;
  std::vector<SlotSource> sources;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    Slot& slot = mapped.part.tree.slots[i];
    if (is_out(slot.name)) continue;
    slots.push_back(std::move(slot));
    sources.push_back(std::move(plan.sources[i]));
  }
  mapped.part.tree.slots = std::move(slots);
  plan.sources = std::move(sources);
  const auto drop = [](auto& items, const auto& is_dropped) {
    items.erase(std::remove_if(items.begin(), items.end(), is_dropped), items.end());
  };
  drop(plan.changed, [&](const ChangedSlot& changed) { return is_out(changed.slot); });
  drop(plan.aliases, [&](const auto& alias) { return is_out(alias.first); });
}

// `request` with what it left open: the wrapper's name, and the sizes that the target or the wrapper's channels fix.
// `outputs` is empty if all are kept.
ArtifactRequest Resolved(ArtifactRequest request, const TargetTree& tree) {
  request.wrapper = tree.wrapper_name;
  request.outputs = tree.kept.left_out.empty() ? std::vector<std::string>() : tree.kept.names;
  std::map<std::string, int64_t> sizes = request.target->onnx.sizes;
  if (!sizes.empty() && tree.whole->interface) sizes.emplace("C", tree.whole->interface->channels_in.size());
  const EntryPoint* const entry_point = FindEntryPoint(tree.whole->entry_points, request.method);
  if (sizes.empty() || entry_point == nullptr) return request;
  const std::set<std::string> letters = InputSymbols(*entry_point);
  for (const auto& [letter, size] : sizes) {
    if (letters.count(letter) > 0) request.sizes.emplace(letter, size);
  }
  return request;
}

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

// Adds the outputs that were left out, and their tensors.
void DescribeLeftOut(const KeptOutputs& kept, Manifest& manifest) {
  for (const std::string& name : kept.left_out) manifest.mutable_outputs()->add_left_out(name);
  for (const std::string& slot : kept.left_out_slots) manifest.mutable_outputs()->add_tensors(slot);
}

void DescribeTensors(const TargetTree& tree, Manifest& manifest) {
  manifest.set_tensors(tree.whole->slots.size());
  manifest.set_parameters(CountParameters(*tree.whole));
}

void DescribeInterface(const Interface& interface, Manifest& manifest) {
  Manifest::Interface& entry = *manifest.mutable_interface();
  entry.set_kind(interface.kind);
  for (const std::string& channel : interface.channels_in) entry.add_channels_in(channel);
  for (const std::string& channel : interface.channels_out) entry.add_channels_out(channel);
  entry.set_category(interface.category);
  entry.set_multiple_of(interface.multiple_of);
  entry.set_scale(interface.scale);
  for (const int64_t frame : interface.frames) entry.add_frames(frame);
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
    for (const std::string& choice : knob.choices) entry.add_choices(choice);
  }
}

// The places where the files of a variant are published.
std::string WeightsUrl(const Variant& variant) {
  std::vector<std::string> urls;
  for (const PublishedFile& file : variant.files) {
    if (std::string url = PublishedAddress(file); !url.empty()) urls.push_back(std::move(url));
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

// What the ports of an artifact may be where they do not state it.
struct PortTypes {
  DType usual;
  bool takes_bytes;  // Whether images that are not prepared may be of uint8, too.
};

std::string DTypeOf(const Port& port, DType usual) {
  if (!port.shape.has_value()) return "";
  return port.dtype.empty() ? std::string(DTypeName(usual)) : port.dtype;
}

// The order of an image's dimensions. Of several in one input, frames are told from views by their letter.
std::string ImageLayout(const std::vector<Expression>& shape) {
  if (shape.size() == 4) return "NCHW";
  return shape[1].text() == "T" ? "BTCHW" : "BNCHW";
}

void DescribeImage(const Port& port, const Preprocessing& preprocessing, Manifest::Input& input) {
  const bool is_prepared = port.image == "prepared";
  input.set_layout(ImageLayout(*port.shape));
  input.set_normalised(is_prepared && !preprocessing.mean.empty());
  if (!input.normalised()) {
    input.set_min(0);
    input.set_max(1);
  }
  input.set_multiple_of(is_prepared ? preprocessing.multiple_of : 1);
  if (port.size.value_or(0) > 0) {
    input.set_resize(port.resize);
    input.set_recommended_size(*port.size);
  }
}

void DescribeInput(const Port& port, const MethodTypes::Argument& argument, const Preprocessing& preprocessing,
                   const PortTypes& types, Manifest::Input& input) {
  DescribePort(port, input);
  input.set_type(argument.type);
  input.set_default_value(argument.value.value_or(""));
  const bool may_be_bytes = port.image == "any" && types.takes_bytes;
  input.set_dtype(may_be_bytes ? "uint8 or floating" : DTypeOf(port, types.usual));
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

// What the entry points of the module take and give.
void DescribeEntryPoints(const PortTypes& ports, const Preprocessing& preprocessing, const BuiltModule& built,
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
      DescribeOutput(entry_point.outputs[i], types.places[i], ports.usual, *entry.add_outputs());
    }
  }
}

// Begins the manifest of an artifact: all fields but those that describe_export.h adds, about the source of the
// weights, the file and the proof. `preprocessing` is that of the variant, `built` the module of `tree.whole`, and
// `prepared` the artifact of `format` that is made of it.
Manifest DescribeModule(const ArtifactRequest& request, const Preprocessing& preprocessing, const TargetTree& tree,
                        const ArtifactFormat& format, const PreparedArtifact& prepared, const BuiltModule& built) {
  const Plugin& plugin = *request.entry.plugin;
  const Variant& variant = *request.entry.variant;
  Manifest manifest;
  *manifest.mutable_request() = StateRequest(request);
  manifest.set_title(variant.title);
  manifest.set_summary(variant.summary);
  manifest.set_weights_licence(variant.licence);
  const auto text = plugin.licence_texts.find(variant.licence);
  if (request.licence_text.empty() && text != plugin.licence_texts.end()) {
    manifest.mutable_request()->set_licence_text(text->second);
  }
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
  DescribeLeftOut(tree.kept, manifest);
  DescribeTensors(tree, manifest);
  prepared.DescribeCode(manifest);
  if (tree.is_wrapped()) DescribeInterface(*tree.whole->interface, manifest);
  const PortTypes ports = {.usual = format.PortType(request.dtype), .takes_bytes = format.takes_bytes()};
  DescribeEntryPoints(ports, preprocessing, built, manifest);
  if (format.keeps_knobs()) DescribeKnobs(tree.whole->root, manifest);
  return manifest;
}

}  // namespace

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  return PlanArtifact(registry, request, std::move(tree));
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped,
                   MapWeights(FittingHint(registry), request.entry, *tree.model, request.weights));
  return ArtifactPlan{std::move(tree), {.mapped = std::move(mapped)}};
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree,
                                          const std::vector<GivenCheckpoint>& given) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped, MapGiven(FittingHint(registry), request.entry, *tree.model, given));
  return ArtifactPlan{std::move(tree), {.mapped = std::move(mapped)}};
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const ArtifactRequest& request, TargetTree tree, const StoredArtifact& file) {
  ASSIGN_OR_RETURN(BoundTensors bound, BorrowTensors(file, tree.kept.tree->slots, request.dtype));
  return ArtifactPlan{std::move(tree), {.bound = {std::move(bound)}}};
}

absl::StatusOr<ArtifactWeights> BindWeights(const ArtifactRequest& request, ArtifactPlan plan,
                                            const std::string& made) {
  RETURN_IF_ERROR(BindParts(plan.tree.kept, request.dtype, made, plan.weights));
  return std::move(plan.weights);
}

absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, ArtifactPlan plan, const std::string& made) {
  Artifact artifact = {.tree = plan.tree};
  ASSIGN_OR_RETURN(artifact.weights, BindWeights(request, std::move(plan), made));
  ASSIGN_OR_RETURN(BuiltModule built, BuildTargetModule(request, *artifact.tree.whole, artifact.weights.bound,
                                                        FormatOf(*request.target).holds_one_method()));
  artifact.built = std::make_shared<BuiltModule>(std::move(built));
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(artifact.examples, artifact.tree.is_wrapped() ? artifact.tree.whole->interface->examples
                                                                 : ExamplesOf(*plugin, *variant));
  return artifact;
}

absl::StatusOr<FormattedArtifact> FormatArtifact(const ArtifactRequest& wanted, Artifact artifact) {
  const ArtifactRequest request = Resolved(wanted, artifact.tree);
  const ArtifactFormat& format = FormatOf(*request.target);
  ASSIGN_OR_RETURN(std::unique_ptr<PreparedArtifact> prepared, format.Prepare(request, *artifact.built));
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(const Preprocessing preprocessing, PreprocessingOf(*plugin, *variant));
  Manifest manifest = DescribeModule(request, preprocessing, artifact.tree, format, *prepared, *artifact.built);
  return FormattedArtifact{std::move(artifact), &format, std::move(prepared), std::move(manifest)};
}

absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights) {
  const std::set<std::string> left_out(kept.left_out_slots.begin(), kept.left_out_slots.end());
  for (MappedPart& mapped : weights.mapped) {
    if (!left_out.empty()) KeepSlotsOf(left_out, mapped);
    ASSIGN_OR_RETURN(BoundTensors tensors, BindTensors(mapped.checkpoint, mapped.plan, mapped.part.tree, dtype, made));
    weights.bound.push_back(std::move(tensors));
  }
  return absl::OkStatus();
}

absl::Status WithPaths(const absl::Status& error, const ArtifactRequest& request) {
  return absl::Status(error.code(), request.entry.plugin->library->WithPaths(error.message()));
}

absl::Status CheckUnchanged(const ArtifactWeights& weights) {
  for (const MappedPart& mapped : weights.mapped) RETURN_IF_ERROR(mapped.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

}  // namespace modelport
