#include "tools/diff/diff_files.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/request/artifact_request.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/file_kind.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/left_out.h"
#include "common/keymap/source_choice.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/module_tree/keep_outputs.h"
#include "common/operation/slot_source.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/recognise_model.h"

namespace modelport {
namespace {

// The manifest in an artifact of any release, or the one beside it; nullopt if there is none that names a model.
absl::optional<Manifest> FindManifest(const StoredArtifact& file) {
  Manifest manifest;
  const absl::StatusOr<absl::optional<StoredPart>> within = file.FindManifest();
  if (within.ok() && *within) {
    manifest = ParseKnownFields((*within)->bytes);
  } else if (const auto beside = MappedFile::Open(ManifestPath(file.path())); beside.ok()) {
    manifest = ParseKnownFields((*beside)->bytes());
  }
  return manifest.request().model().empty() ? absl::nullopt : absl::make_optional(std::move(manifest));
}

// The tensors of an artifact as a checkpoint, under the names of `slots`, those that it has of its model. `manifest`
// states the dtype.
//   DataLoss  as FindTensors
absl::StatusOr<Checkpoint> OpenArtifactTensors(const std::shared_ptr<const StoredArtifact>& artifact,
                                               const Manifest& manifest, const std::vector<Slot>& slots) {
  const StoredArtifact& file = *artifact;
  const absl::optional<DType> dtype = ParseDType(manifest.request().dtype());
  if (!dtype || !IsArtifactDType(*dtype)) {
    return absl::DataLossError(
        absl::StrCat(file.path(), ": its manifest states dtype ", Brief(manifest.request().dtype())));
  }
  Checkpoint::Contents contents;
  contents.path = file.path();
  contents.format = "artifact";
  contents.files.push_back({file.path(), file.bytes(), artifact, &file.mapped_file()});
  if (const MappedFile* const data = file.data_file()) {
    contents.files.push_back({data->path(), data->bytes(), artifact, data});
  }
  StateDict dict;
  ASSIGN_OR_RETURN(const auto parts, file.FindTensors(slots, *dtype));
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!parts[i]) continue;
    const Slot& slot = slots[i];
    dict.tensors.push_back({slot.name, slot.dtype.value_or(*dtype), slot.shape, StridesIn(*parts[i], slot.shape), 0,
                            static_cast<int>(contents.storages.size())});
    contents.storages.push_back({parts[i]->name, parts[i]->bytes, parts[i]->crc32});
  }
  contents.state_dicts.push_back(std::move(dict));
  return Checkpoint(std::move(contents));
}

// A file that was opened, and the variants that it may be of.
struct DiffFile {
  Checkpoint checkpoint;  // Of an artifact: its tensors by the names of their slots.
  absl::optional<Manifest> manifest = {};
  absl::optional<ArtifactRequest> request = {};  // Of an artifact: its model, with the arguments that it was made with.
  std::vector<std::string> models = {};
  SourceChoice choice = {};  // What to take of a checkpoint.
  std::string refusal = {};  // As of DiffSide.
  bool is_mapped = true;     // Whether its keys are mapped onto slots; if not, they are their names.
};

// A side and what is compared of it.
struct Side {
  DiffSide facts;
  Configuration settings;
  std::vector<NamedTensor> tensors;
};

// The model that an artifact states, with the arguments and the outputs that it was made with.
absl::StatusOr<ArtifactRequest> StatedModel(const CatalogEntry& entry, const Manifest& manifest) {
  ArtifactRequest request = {.entry = entry};
  request.outputs = {manifest.request().outputs().begin(), manifest.request().outputs().end()};
  RETURN_IF_ERROR(SetStatedArguments(manifest, request));
  return request;
}

// What an artifact of `request` has of the model's tree.
absl::StatusOr<KeptOutputs> Kept(const ArtifactRequest& request) {
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(plugin->library, variant->module));
  return KeepOutputs(std::make_shared<const ModuleTree>(std::move(tree)), variant->module, request.outputs);
}

absl::StatusOr<DiffFile> DescribeStored(const Registry& registry,
                                        const std::shared_ptr<const StoredArtifact>& artifact) {
  const StoredArtifact& file = *artifact;
  absl::optional<Manifest> manifest = FindManifest(file);
  if (!manifest) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.path(), ": an artifact without a manifest of Modelport, which says where its tensors belong"));
  }
  const absl::StatusOr<CatalogEntry> entry = registry.Find(manifest->request().model());
  if (!entry.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        file.path(), ": is an artifact of ", Brief(manifest->request().model()), ", which the catalog does not have",
        "\n  --plugin_path=FOLDER adds the plugins that are not built in"));
  }
  absl::StatusOr<ArtifactRequest> request = StatedModel(*entry, *manifest);
  RETURN_IF_ERROR(Annotate(request.status(), file.path()));
  const absl::StatusOr<KeptOutputs> kept = Kept(*request);
  RETURN_IF_ERROR(Annotate(kept.status(), file.path()));
  // Another text of the plugin may have other tensors, or these in another order, so that only their names in the file
  // tell which is which.
  const bool is_mapped = manifest->plugin_sha256() != entry->plugin->plugin_digest && !IsOnnx(file.bytes());
  ASSIGN_OR_RETURN(Checkpoint checkpoint, is_mapped ? OpenCheckpoint(file.path())
                                                    : OpenArtifactTensors(artifact, *manifest, kept->tree->slots));
  std::vector<std::string> models = {entry->variant->name};
  return DiffFile{.checkpoint = std::move(checkpoint),
                  .manifest = std::move(manifest),
                  .request = *std::move(request),
                  .models = std::move(models),
                  .is_mapped = is_mapped};
}

absl::StatusOr<DiffFile> OpenFile(const Registry& registry, const CheckpointFile& input, const std::string& model) {
  const absl::StatusOr<std::shared_ptr<const StoredArtifact>> artifact = OpenArtifact(input.path);
  if (artifact.ok() && (*artifact)->has_code()) return DescribeStored(registry, *artifact);
  // No checkpoint is an ONNX file: what is wrong with one, such as its data file, is said of it.
  if (const auto mapped = MappedFile::Open(input.path); mapped.ok() && IsOnnx((*mapped)->bytes())) {
    RETURN_IF_ERROR(artifact.status());
  }
  ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint(input.path));
  DiffFile file = {.checkpoint = std::move(checkpoint), .choice = input.choice};
  if (!model.empty()) {
    file.models = {model};
    return file;
  }
  const std::vector<FittingVariant> fitting = FindFittingVariants(registry, file.checkpoint, input.choice);
  file.models = NamesOfFitting(fitting);
  if (file.models.empty() && !fitting.empty()) file.refusal = std::string(fitting.front().plan.status().message());
  if (!file.models.empty() || input.choice.layout == "auto") return file;
  return absl::FailedPreconditionError(absl::StrCat(input.path, ": fits no model of the catalog in a layout ",
                                                    Brief(input.choice.layout),
                                                    "; without --layout it is compared by its keys"));
}

// Makes sure that a choice of the user's chooses something.
absl::Status CheckChoices(const DiffFile& a, const CheckpointFile& a_input, const DiffFile& b,
                          const CheckpointFile& b_input, const std::string& model) {
  const auto chooses = [](const SourceChoice& choice) { return choice.layout != "auto" || choice.state_dict; };
  const bool are_artifacts = a.manifest && b.manifest;
  if (!are_artifacts || (model.empty() && !chooses(a_input.choice) && !chooses(b_input.choice)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--model, --state_dict, --prefix and --layout say what to take of a checkpoint, and both files are artifacts; "
      "leave them out");
}

// The model as which a file with the variants `models` is compared with one with `others`.
std::string ChooseModel(const std::vector<std::string>& models, const std::vector<std::string>& others) {
  for (const std::string& model : models) {
    if (std::count(others.begin(), others.end(), model) > 0) return model;
  }
  return models.front();
}

std::string Joined(const google::protobuf::RepeatedField<double>& numbers) { return absl::StrJoin(numbers, ", "); }

// The settings that an artifact states and a checkpoint does not have.
void AddManifest(const Manifest& manifest, Configuration* settings) {
  for (const auto& [name, value] : RequestTexts(manifest)) {
    // Texts of licences may begin alike.
    const bool is_long = name == "licence text";
    (*settings)["artifact " + name] = is_long ? absl::StrCat("sha256 ", Sha256Of(value)) : Brief(value);
  }
  (*settings)["artifact plugin_sha256"] = manifest.plugin_sha256();
  (*settings)["artifact preprocessing module"] = Brief(manifest.preprocessing().module());
  for (const std::string& method : manifest.methods()) {
    (*settings)[absl::StrCat("artifact method ", Brief(method))] = "present";
  }
  for (const auto& knob : manifest.knobs()) {
    (*settings)[absl::StrCat("artifact knob ", Brief(knob.name()))] =
        absl::StrCat(knob.value(), " in ", knob.min(), " to ", knob.max());
  }
}

// An artifact's manifest states its own.
void AddPreprocessing(const CatalogEntry& entry, const absl::optional<Manifest>& manifest, Configuration* settings) {
  const auto& [plugin, variant] = entry;
  const Preprocessing stated = PreprocessingOf(*plugin, *variant).value_or(plugin->preprocessing);
  (*settings)["preprocessing mean"] =
      manifest ? Joined(manifest->preprocessing().mean()) : absl::StrJoin(stated.mean, ", ");
  (*settings)["preprocessing std"] =
      manifest ? Joined(manifest->preprocessing().std()) : absl::StrJoin(stated.std, ", ");
  (*settings)["preprocessing channels"] =
      absl::StrCat(manifest ? manifest->preprocessing().channels() : stated.channels);
  (*settings)["preprocessing size"] =
      manifest ? absl::StrJoin(manifest->preprocessing().size(), " x ") : absl::StrJoin(stated.size, " x ");
  (*settings)["preprocessing multiple_of"] =
      absl::StrCat(manifest ? manifest->preprocessing().multiple_of() : stated.multiple_of);
}

std::vector<NamedTensor> TensorsOf(const Checkpoint& checkpoint, const StateDict& dict) {
  std::vector<NamedTensor> tensors;
  for (const CheckpointTensor& tensor : dict.tensors) tensors.push_back({tensor.key, Take{{checkpoint, &tensor}}});
  return tensors;
}

// The tensors that fill slots, and those for which the model has none.
absl::StatusOr<std::vector<NamedTensor>> TensorsOf(const Checkpoint& checkpoint, const ModuleTree& tree,
                                                   const Plan& plan) {
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    if (plan.sources[i].constant() == nullptr) tensors.push_back({tree.slots[i].name, plan.sources[i]});
  }
  ASSIGN_OR_RETURN(const FoundDict found, FindDict(checkpoint, plan.state_dict));
  std::set<std::string> unused;
  for (const auto& [key, reason] : plan.unused) unused.insert(key);
  for (const CheckpointTensor& tensor : found.dict->tensors) {
    if (unused.count(tensor.key) > 0) {
      tensors.push_back({absl::StrCat("unused ", tensor.key), Take{{checkpoint, &tensor}}});
    }
  }
  return tensors;
}

DiffSide Describe(const DiffFile& file, const std::string& model) {
  DiffSide facts = {.path = file.checkpoint.path(), .format = file.checkpoint.format(), .model = model};
  facts.refusal = file.refusal;
  for (const std::string& other : file.models) {
    if (other != model) facts.also.push_back(other);
  }
  return facts;
}

void AddBeside(const std::vector<LeftOut>& left_out, DiffSide* facts) {
  for (const LeftOut& part : left_out) facts->beside.push_back(DictFlag(part.path));
}

absl::StatusOr<Side> ReadBySlot(const Registry& registry, const DiffFile& file, const std::string& model) {
  ASSIGN_OR_RETURN(CatalogEntry entry, registry.Find(model));
  if (file.request && file.request->entry.variant->name == model) entry = file.request->entry;
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  Side side = {Describe(file, model), DescribeTree(tree, entry.variant->module), {}};
  AddPreprocessing(entry, file.manifest, &side.settings);
  if (!file.is_mapped) {
    side.tensors = TensorsOf(file.checkpoint, file.checkpoint.state_dicts().front());
    return side;
  }
  ASSIGN_OR_RETURN(const Plan plan, MakePlan(file.checkpoint, entry.plugin->key_map, tree, file.choice, model));
  side.facts.layout = plan.layout;
  side.facts.state_dict = plan.state_dict;
  AddBeside(plan.left_out, &side.facts);
  ASSIGN_OR_RETURN(side.tensors, TensorsOf(file.checkpoint, tree, plan));
  return side;
}

// The dictionary to take, or the one with most tensors, by its keys.
absl::StatusOr<Side> ReadByKey(const DiffFile& file) {
  const absl::StatusOr<const StateDict*> dict = ChooseDict(file.checkpoint, file.choice.state_dict);
  if (!dict.ok()) return Annotate(dict.status(), file.checkpoint.path());
  Side side = {Describe(file, ""), {}, TensorsOf(file.checkpoint, **dict)};
  side.facts.state_dict = (*dict)->path;
  AddBeside(FindLeftOut(file.checkpoint, **dict), &side.facts);
  return side;
}

// Both by slot, or both by key.
absl::StatusOr<std::pair<Side, Side>> ReadSides(const Registry& registry, const DiffFile& a, const DiffFile& b) {
  if (a.models.empty() || b.models.empty()) {
    ASSIGN_OR_RETURN(Side a_side, ReadByKey(a));
    ASSIGN_OR_RETURN(Side b_side, ReadByKey(b));
    return std::make_pair(std::move(a_side), std::move(b_side));
  }
  ASSIGN_OR_RETURN(Side a_side, ReadBySlot(registry, a, ChooseModel(a.models, b.models)));
  ASSIGN_OR_RETURN(Side b_side, ReadBySlot(registry, b, ChooseModel(b.models, a.models)));
  if (a.manifest && b.manifest) {
    AddManifest(*a.manifest, &a_side.settings);
    AddManifest(*b.manifest, &b_side.settings);
  }
  return std::make_pair(std::move(a_side), std::move(b_side));
}

absl::Status CheckWhole(const Checkpoint& checkpoint, const std::vector<NamedTensor>& tensors) {
  RETURN_IF_ERROR(checkpoint.CheckUnchanged());
  std::vector<SlotSource> sources;
  for (const NamedTensor& tensor : tensors) sources.push_back(tensor.source);
  return VerifyInputs(checkpoint, sources);
}

int64_t Bytes(const std::vector<NamedTensor>& tensors) {
  int64_t bytes = 0;
  for (const NamedTensor& tensor : tensors) {
    bytes += *ElementCount(tensor.source.shape()) * ByteSize(tensor.source.dtype());
  }
  return bytes;
}

}  // namespace

bool FileDifference::is_equal() const {
  return settings.empty() && std::all_of(tensors.begin(), tensors.end(), [](const TensorComparison& tensor) {
           return tensor.kind() == TensorComparison::Kind::kEqual;
         });
}

absl::StatusOr<FileDifference> DiffFiles(const Registry& registry, const CheckpointFile& a, const CheckpointFile& b,
                                         const std::string& model) {
  if (!model.empty()) RETURN_IF_ERROR(registry.Find(model).status());
  for (const CheckpointFile* file : {&a, &b}) RETURN_IF_ERROR(CheckKnownLayout(registry, file->choice));
  ASSIGN_OR_RETURN(const DiffFile a_file, OpenFile(registry, a, model));
  ASSIGN_OR_RETURN(const DiffFile b_file, OpenFile(registry, b, model));
  RETURN_IF_ERROR(CheckChoices(a_file, a, b_file, b, model));
  ASSIGN_OR_RETURN(auto sides, ReadSides(registry, a_file, b_file));
  auto& [a_side, b_side] = sides;
  FileDifference difference;
  difference.by_slot = !a_side.facts.model.empty();
  difference.settings = CompareConfigurations(a_side.settings, b_side.settings);
  Progress progress("compare", Bytes(a_side.tensors));
  ASSIGN_OR_RETURN(difference.tensors,
                   CompareTensors(a_side.tensors, b_side.tensors, [&](int64_t bytes) { progress.Add(bytes); }));
  RETURN_IF_ERROR(CheckWhole(a_file.checkpoint, a_side.tensors));
  RETURN_IF_ERROR(CheckWhole(b_file.checkpoint, b_side.tensors));
  difference.a = std::move(a_side.facts);
  difference.b = std::move(b_side.facts);
  return difference;
}

}  // namespace modelport
