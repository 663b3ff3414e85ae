#include "tools/convert/convert_checkpoint.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/output_file.h"
#include "common/io/writer.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/key_pattern.h"
#include "common/keymap/plan.h"
#include "common/keymap/stored_layout.h"
#include "common/operation/slot_source.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/text/nearest.h"
#include "common/text/units.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/recognise_model.h"

namespace modelport {
namespace {

// What a user lets a conversion lose: the items of --leave_out.
class LeaveOut {
 public:
  // Each item is a name as it is, or a pattern of keys. InvalidArgument: an item is neither.
  static absl::StatusOr<LeaveOut> Parse(const std::vector<std::string>& items);

  // `checkpoint` without the tensors that the items name, or those of them among `unexpected` if that is not null.
  // Their keys are added to `left_out`; it shares the open file. nullopt if none or all are left out.
  absl::optional<Checkpoint> Without(const Checkpoint& checkpoint, const std::set<std::string>* unexpected,
                                     std::vector<Unstorable>* left_out) const;

  // Makes sure that everything in `unstorable`, what `layout` cannot hold of the checkpoints at `paths`, may be lost.
  //   InvalidArgument     an item names nothing of it
  //   FailedPrecondition  no item names a part of it; lists all such parts
  absl::Status Check(const std::vector<Unstorable>& unstorable, const std::string& layout,
                     const std::vector<std::string>& paths) const;

 private:
  struct Item {
    std::string text;
    absl::optional<KeyPattern> pattern;  // None for the root's path ".", which is a name only.

    bool Matches(const std::string& name) const { return name == text || (pattern && pattern->Matches(name)); }
  };

  bool Matches(const std::string& name) const;

  std::vector<Item> items_;
};

absl::Status NamesNothing(const std::string& item, const std::vector<Unstorable>& unstorable,
                          const std::string& layout) {
  std::vector<std::string> names;
  for (const Unstorable& part : unstorable) names.push_back(part.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--leave_out=", item, ": names nothing that layout ", layout, " cannot hold",
                   names.empty() ? "; it holds the whole checkpoint" : NearestHint(item, names)));
}

absl::StatusOr<LeaveOut> LeaveOut::Parse(const std::vector<std::string>& items) {
  LeaveOut leave_out;
  for (const std::string& text : items) {
    absl::StatusOr<KeyPattern> pattern = KeyPattern::Parse(text);
    if (!pattern.ok() && text != ".") return Annotate(pattern.status(), absl::StrCat("--leave_out=", text));
    leave_out.items_.push_back({text, pattern.ok() ? absl::make_optional(*std::move(pattern)) : absl::nullopt});
  }
  return leave_out;
}

bool LeaveOut::Matches(const std::string& name) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return item.Matches(name); });
}

absl::optional<Checkpoint> LeaveOut::Without(const Checkpoint& checkpoint, const std::set<std::string>* unexpected,
                                             std::vector<Unstorable>* left_out) const {
  Checkpoint::Contents contents = {.path = checkpoint.path(),
                                   .format = checkpoint.format(),
                                   .files = checkpoint.files(),
                                   .storages = checkpoint.storages(),
                                   .state_dicts = {},
                                   .loose = checkpoint.loose(),
                                   .metadata = checkpoint.metadata()};
  for (StateDict dict : checkpoint.state_dicts()) {
    const auto end = std::remove_if(dict.tensors.begin(), dict.tensors.end(), [&](const CheckpointTensor& tensor) {
      if (!Matches(tensor.key) || (unexpected != nullptr && unexpected->count(tensor.key) == 0)) return false;
      left_out->push_back({tensor.key, "the model has no place for it"});
      return true;
    });
    dict.tensors.erase(end, dict.tensors.end());
    if (!dict.tensors.empty()) contents.state_dicts.push_back(std::move(dict));
  }
  if (left_out->empty() || contents.state_dicts.empty()) return absl::nullopt;
  return Checkpoint(std::move(contents));
}

absl::Status LeaveOut::Check(const std::vector<Unstorable>& unstorable, const std::string& layout,
                             const std::vector<std::string>& paths) const {
  for (const Item& item : items_) {
    const auto matches = [&](const Unstorable& part) { return item.Matches(part.name); };
    if (std::none_of(unstorable.begin(), unstorable.end(), matches)) return NamesNothing(item.text, unstorable, layout);
  }
  std::vector<std::string> lines;
  for (const Unstorable& part : unstorable) {
    if (!Matches(part.name)) lines.push_back(absl::StrCat(part.name, ": ", part.reason));
  }
  if (lines.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      absl::StrJoin(paths, ", "), ": layout ", layout, " cannot hold ", Counted(lines.size(), "part"), " of it\n  ",
      absl::StrJoin(lines, "\n  "),
      "\n  --leave_out=KEY,... writes the file without them; a KEY may be a pattern such as head.{rest*}"));
}

// A checkpoint, and what of it a conversion reads.
struct UsedCheckpoint {
  Checkpoint checkpoint;
  std::vector<SlotSource> sources;
};

SafetensorsTensor HeaderOf(const StoredTensor& tensor) {
  return {tensor.key, tensor.source.dtype(), tensor.source.shape()};
}

// Writes the elements of the tensors one by one.
class ElementsWriter {
 public:
  ElementsWriter(Writer& out, std::string paths) : out_(out), paths_(std::move(paths)) {}

  absl::Status Write(const std::string& key, const SlotSource& tensor) {
    const size_t size = *ElementCount(tensor.shape()) * ByteSize(tensor.dtype());
    const absl::optional<TensorView> view = tensor.view();
    if (view && view->strides == RowMajorStrides(view->shape)) return out_.WriteLasting({view->data, size});
    if (size > capacity_) {
      buffer_.reset();
      buffer_ = std::make_unique_for_overwrite<char[]>(size);
      capacity_ = size;
    }
    RETURN_IF_ERROR(Annotate(Annotate(tensor.Evaluate(buffer_.get()), key), paths_));
    return out_.Write({buffer_.get(), size});
  }

 private:
  Writer& out_;
  const std::string paths_;  // Of the checkpoints, for messages.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

// Of several files, none knows what is in the others.
std::map<std::string, std::string> MetadataFor(const std::vector<UsedCheckpoint>& checkpoints) {
  const Checkpoint& first = checkpoints.front().checkpoint;
  if (checkpoints.size() == 1 && first.format() == "safetensors") return first.metadata();
  return {{"format", "pt"}};
}

std::string Paths(const std::vector<UsedCheckpoint>& checkpoints) {
  return absl::StrJoin(checkpoints, ", ",
                       [](std::string* out, const UsedCheckpoint& used) { *out += used.checkpoint.path(); });
}

absl::StatusOr<int64_t> WriteTensors(std::vector<StoredTensor> tensors, const std::vector<UsedCheckpoint>& checkpoints,
                                     Writer& out) {
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return ComesBefore(HeaderOf(a), HeaderOf(b)); });
  std::vector<SafetensorsTensor> headers;
  for (const StoredTensor& tensor : tensors) headers.push_back(HeaderOf(tensor));
  const std::string header = SafetensorsHeader(headers, MetadataFor(checkpoints));
  int64_t size = header.size();
  for (const SafetensorsTensor& tensor : headers) size += *ElementCount(tensor.shape) * ByteSize(tensor.dtype);
  Progress progress("write", size);
  ProgressWriter writer(out, progress);
  RETURN_IF_ERROR(writer.Write(header));
  ElementsWriter elements(writer, Paths(checkpoints));
  for (const StoredTensor& tensor : tensors) RETURN_IF_ERROR(elements.Write(tensor.key, tensor.source));
  return size;
}

// Writes `tensors`, made of `checkpoints`, to `out` as the safetensors library does: in its order, and with the
// metadata of the only checkpoint if that is a safetensors file, or else with {"format": "pt"}. Converts tensor by
// tensor; the memory is that of one conversion. Returns the bytes of the whole file.
//   FailedPrecondition  a checkpoint changed meanwhile
//   DataLoss            a checkpoint is damaged
//   others              as Writer
absl::StatusOr<int64_t> WriteStored(std::vector<StoredTensor> tensors, const std::vector<UsedCheckpoint>& checkpoints,
                                    Writer& out) {
  const absl::StatusOr<int64_t> bytes = WriteTensors(std::move(tensors), checkpoints, out);
  // If a checkpoint became shorter, writing fails with a system error that seems to be about `out`: this one comes
  // first.
  for (const UsedCheckpoint& used : checkpoints) RETURN_IF_ERROR(used.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(bytes.status());
  for (const auto& [checkpoint, sources] : checkpoints) RETURN_IF_ERROR(VerifyInputs(checkpoint, sources));
  return bytes;
}

// The plan of a whole tree from those of all its parts, in the order of its slots. Its `layout` names the layout of
// each part, and `state_dict` is empty.
Plan JoinParts(const std::vector<MappedPart>& parts) {
  Plan joined;
  for (const MappedPart& mapped : parts) {
    const auto& [part, checkpoint, plan] = mapped;
    absl::StrAppend(&joined.layout, joined.layout.empty() ? "" : ", ", part.file->part, " ", plan.layout);
    joined.sources.insert(joined.sources.end(), plan.sources.begin(), plan.sources.end());
    joined.left_out.insert(joined.left_out.end(), plan.left_out.begin(), plan.left_out.end());
    joined.unused.insert(joined.unused.end(), plan.unused.begin(), plan.unused.end());
    joined.old_names.insert(joined.old_names.end(), plan.old_names.begin(), plan.old_names.end());
    for (const auto& [slot, operation, reason] : plan.changed) {
      joined.changed.push_back({part.SlotName(slot), operation, reason});
    }
    for (const auto& [slot, key] : plan.aliases) {
      joined.aliases.emplace_back(part.SlotName(slot), part.SlotName(key));
    }
  }
  return joined;
}

// What a file in the target layout holds, and the models for which that is so.
struct Converted {
  std::vector<std::string> models;
  CatalogEntry entry;  // Of the first of them.
  Call module;         // Its root, maybe with other arguments than the variant's.
  Plan plan;
  StoredLayout stored;
};

absl::StatusOr<const Layout*> FindLayout(const Plugin& plugin, const std::string& name) {
  if (const Layout* const layout = plugin.key_map.Find(name)) return layout;
  std::vector<std::string> names;
  for (const Layout& layout : plugin.key_map.layouts) names.push_back(layout.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--layout=", name, ": ", plugin.family, " has no such layout", NearestHint(name, names)));
}

// Makes sure that `layout` reads a file with the tensors of `stored`.
absl::Status CheckReadBack(const CatalogEntry& entry, const ModuleTree& tree, const StoredLayout& stored,
                           const Layout& layout) {
  StateDict dict;
  for (const StoredTensor& tensor : stored.tensors) {
    const auto& [key, source] = tensor;
    const int storage = static_cast<int>(dict.tensors.size());
    dict.tensors.push_back({key, source.dtype(), source.shape(), RowMajorStrides(source.shape()), 0, storage});
  }
  Checkpoint::Contents contents;
  contents.path = absl::StrCat("--layout=", layout.name, ": its rules cannot be reversed: a file of theirs");
  contents.state_dicts.push_back(std::move(dict));
  const absl::StatusOr<Plan> plan =
      MakePlan(Checkpoint(std::move(contents)), entry.plugin->key_map, tree, {layout.name}, entry.variant->name);
  return plan.ok() ? absl::OkStatus() : absl::InvalidArgumentError(plan.status().message());
}

absl::StatusOr<StoredLayout> Store(const CatalogEntry& entry, const ModuleTree& tree, const Plan& plan,
                                   const std::string& name) {
  ASSIGN_OR_RETURN(const Layout* const layout, FindLayout(*entry.plugin, name));
  ASSIGN_OR_RETURN(StoredLayout stored, StoreInLayout(plan, tree, *layout));
  // A file without what the layout cannot hold need not fit.
  if (stored.unstorable.empty()) RETURN_IF_ERROR(CheckReadBack(entry, tree, stored, *layout));
  return stored;
}

absl::StatusOr<Converted> ConvertFor(const Registry& registry, const CatalogEntry& entry, const Checkpoint& checkpoint,
                                     const ConvertOptions& options) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  const SourceChoice& choice = options.checkpoints.front().choice;
  ASSIGN_OR_RETURN(MappedWeights weights, MapCheckpoint(FittingHint(registry), entry, tree, checkpoint, choice));
  ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, weights.plan, options.layout));
  return Converted{{entry.variant->name}, entry, entry.variant->module, std::move(weights.plan), std::move(stored)};
}

// The conversion for every model that the checkpoint fits, if it is the same for all of them.
absl::StatusOr<Converted> ConvertForAny(const Registry& registry, const Checkpoint& checkpoint,
                                        const ConvertOptions& options) {
  const SourceChoice& choice = options.checkpoints.front().choice;
  struct Fitting {
    CatalogEntry entry;
    Call module;  // The root: the variant's, or that with other arguments.
    absl::StatusOr<Plan> plan;
  };
  std::vector<Fitting> fitting;
  size_t least = std::numeric_limits<size_t>::max();
  ForEachVariant<KeyMapper>(
      registry, checkpoint, choice, [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
        if (!mapper.Fits(tree)) return;
        fitting.push_back({entry, entry.variant->module, mapper.MakePlan(tree, entry.variant->name)});
        const absl::StatusOr<Plan>& plan = fitting.back().plan;
        if (plan.ok()) least = std::min(least, plan->others);
      });
  if (fitting.empty() || least > 0) {
    const Fits fits = FindFits(registry, checkpoint, choice);
    if (fits.variants.empty()) fitting.clear();
    for (const InferredModel& model : fits.inferred) {
      const auto& [plugin, variant] = model.entry;
      ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(plugin->library, model.module));
      absl::StatusOr<Plan> plan = MakePlan(checkpoint, plugin->key_map, tree, choice, variant->name);
      if (plan.ok()) least = std::min(least, plan->others);
      fitting.push_back({model.entry, model.module, std::move(plan)});
    }
  }
  absl::optional<Converted> conversion;
  for (auto& [entry, module, plan] : fitting) {
    RETURN_IF_ERROR(plan.status());
    if (plan->others > least) continue;  // The backbone, say, of what fits as a whole.
    ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, module));
    ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, *plan, options.layout));
    if (!conversion) {
      conversion = Converted{{}, entry, module, *std::move(plan), std::move(stored)};
    } else if (conversion->stored != stored) {
      return absl::FailedPreconditionError(absl::StrCat(
          checkpoint.path(), ": fits several models, which give different files: --model=", conversion->models.front(),
          " or --model=", entry.variant->name));
    }
    conversion->models.push_back(entry.variant->name);
  }
  if (conversion) return *std::move(conversion);
  return FitsNoModel(registry, checkpoint, choice);
}

absl::StatusOr<Converted> ConvertAs(const Registry& registry, const Checkpoint& checkpoint,
                                    const ConvertOptions& options) {
  if (options.model.empty()) return ConvertForAny(registry, checkpoint, options);
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(options.model));
  return ConvertFor(registry, entry, checkpoint, options);
}

// The keys of the checkpoint for which `tree` has no place; nullopt if that is not clear.
absl::optional<std::set<std::string>> UnexpectedKeys(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                     const ModuleTree& tree, const SourceChoice& choice,
                                                     const std::string& title) {
  const absl::StatusOr<KeyMapper> mapper = KeyMapper::Make(checkpoint, key_map, choice);
  if (!mapper.ok()) return absl::nullopt;
  const absl::StatusOr<Comparison> comparison = mapper->Compare(tree, title);
  if (!comparison.ok()) return absl::nullopt;
  std::set<std::string> keys;
  for (const SourceKey& key : comparison->unexpected) keys.insert(key.tensor->key);
  return keys;
}

// `error`, which may be that keys are unexpected, with the cure for these.
absl::Status WithLeaveOutHint(const absl::Status& error) {
  if (!absl::StrContains(error.message(), " unexpected")) return error;
  return absl::FailedPreconditionError(
      absl::StrCat(error.message(), "\n  --leave_out=KEY,... leaves out keys for which the model has no place"));
}

// The conversion of the checkpoint; if it fits no model, of the checkpoint without those keys that may be left out and
// for which the model has no place.
absl::StatusOr<Converted> Convert(const Registry& registry, const Checkpoint& checkpoint, const LeaveOut& leave_out,
                                  const ConvertOptions& options) {
  absl::StatusOr<Converted> converted = ConvertAs(registry, checkpoint, options);
  if (!absl::IsFailedPrecondition(converted.status())) return converted;
  std::vector<Unstorable> left_out;
  if (const absl::optional<Checkpoint> rest = leave_out.Without(checkpoint, nullptr, &left_out)) {
    converted = ConvertAs(registry, *rest, options);
  }
  if (converted.ok()) {
    const CatalogEntry& entry = converted->entry;
    ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, converted->module));
    const auto unexpected = UnexpectedKeys(checkpoint, entry.plugin->key_map, tree, options.checkpoints.front().choice,
                                           entry.variant->name);
    if (unexpected && unexpected->size() < left_out.size()) {
      left_out.clear();
      const absl::optional<Checkpoint> rest = leave_out.Without(checkpoint, &*unexpected, &left_out);
      if (rest) converted = ConvertAs(registry, *rest, options);
    }
  }
  if (!converted.ok()) return WithLeaveOutHint(converted.status());
  std::vector<Unstorable>& unstorable = converted->stored.unstorable;
  unstorable.insert(unstorable.end(), left_out.begin(), left_out.end());
  return converted;
}

// How the checkpoints `given` fill the parts of one model; if they do not fit, without those keys that may be left out
// and for which their part has no place, which are added to `left_out`.
absl::StatusOr<std::vector<MappedPart>> MapParts(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                                 const LeaveOut& leave_out, std::vector<GivenCheckpoint> given,
                                                 std::vector<Unstorable>* left_out) {
  absl::StatusOr<std::vector<MappedPart>> mapped = MapGiven(hint, entry, tree, given);
  if (!absl::IsFailedPrecondition(mapped.status())) return mapped;
  const absl::StatusOr<std::vector<WeightPart>> parts = ChooseParts(entry, tree, given);
  if (!parts.ok()) return mapped.status();
  const absl::StatusOr<std::vector<size_t>> part_of = AssignFiles(*entry.variant, *parts, given);
  if (!part_of.ok()) return mapped.status();
  for (size_t i = 0; i < given.size(); ++i) {
    const WeightPart& part = (*parts)[(*part_of)[i]];
    const auto unexpected =
        UnexpectedKeys(given[i].checkpoint, *part.key_map, part.tree, given[i].choice, part.Title(*entry.variant));
    if (!unexpected) continue;
    std::vector<Unstorable> of_file;
    const absl::optional<Checkpoint> rest = leave_out.Without(given[i].checkpoint, &*unexpected, &of_file);
    if (rest) given[i].checkpoint = *rest;
    left_out->insert(left_out->end(), of_file.begin(), of_file.end());
  }
  mapped = MapGiven(hint, entry, tree, given);
  if (!mapped.ok()) return WithLeaveOutHint(mapped.status());
  return mapped;
}

// What the tensors are made of.
std::vector<SlotSource> SourcesOf(const std::vector<StoredTensor>& tensors) {
  std::vector<SlotSource> sources;
  for (const StoredTensor& tensor : tensors) sources.push_back(tensor.source);
  return sources;
}

// The conversion of a checkpoint of a whole model, which is added to `inputs`.
absl::StatusOr<Converted> ConvertWhole(const Registry& registry, const LeaveOut& leave_out,
                                       const ConvertOptions& options, std::vector<UsedCheckpoint>* inputs) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, OpenCheckpoint(options.checkpoints.front().path));
  ASSIGN_OR_RETURN(Converted converted, Convert(registry, checkpoint, leave_out, options));
  inputs->push_back({checkpoint, SourcesOf(converted.stored.tensors)});
  return converted;
}

// The conversion of the checkpoints that fill the parts of one model, which are added to `inputs`.
absl::StatusOr<Converted> ConvertParts(const Registry& registry, const LeaveOut& leave_out,
                                       const ConvertOptions& options, std::vector<UsedCheckpoint>* inputs) {
  if (options.model.empty()) {
    return absl::InvalidArgumentError("--model is missing: several checkpoints are the parts of one model");
  }
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(options.model));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(std::vector<GivenCheckpoint> given, OpenGiven(options.checkpoints));
  std::vector<Unstorable> left_out;
  ASSIGN_OR_RETURN(const std::vector<MappedPart> parts,
                   MapParts(FittingHint(registry), entry, tree, leave_out, std::move(given), &left_out));
  for (const MappedPart& part : parts) inputs->push_back({part.checkpoint, part.plan.sources});
  Plan plan = JoinParts(parts);
  ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, plan, options.layout));
  stored.unstorable.insert(stored.unstorable.end(), left_out.begin(), left_out.end());
  return Converted{{entry.variant->name}, entry, entry.variant->module, std::move(plan), std::move(stored)};
}

// What `field` of the variants says: what they agree on, or "TEXT of MODEL, TEXT of MODEL".
absl::StatusOr<std::string> OfEach(const Registry& registry, const std::vector<std::string>& models,
                                   std::string Variant::*field) {
  std::map<std::string, std::vector<std::string>> models_of;  // By the text.
  for (const std::string& model : models) {
    ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
    models_of[entry.variant->*field].push_back(model);
  }
  if (models_of.size() == 1) return models_of.begin()->first;
  std::vector<std::string> texts;
  for (const auto& [text, of] : models_of) {
    if (!text.empty()) texts.push_back(absl::StrCat(text, " of ", absl::StrJoin(of, " and ")));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace

absl::StatusOr<ConvertedFile> ConvertCheckpoint(const Registry& registry, const ConvertOptions& options) {
  for (const CheckpointFile& file : options.checkpoints) {
    RETURN_IF_ERROR(CheckKnownLayout(registry, file.choice));
  }
  ASSIGN_OR_RETURN(const LeaveOut leave_out, LeaveOut::Parse(options.leave_out));
  std::vector<UsedCheckpoint> inputs;
  ASSIGN_OR_RETURN(Converted conversion, options.checkpoints.size() == 1
                                             ? ConvertWhole(registry, leave_out, options, &inputs)
                                             : ConvertParts(registry, leave_out, options, &inputs));
  auto& [models, entry, module, plan, stored] = conversion;
  RETURN_IF_ERROR(leave_out.Check(stored.unstorable, options.layout, CheckpointPaths(options.checkpoints)));
  ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(options.out));
  ASSIGN_OR_RETURN(std::string licence, OfEach(registry, models, &Variant::licence));
  ASSIGN_OR_RETURN(std::string licence_note, OfEach(registry, models, &Variant::licence_note));
  ConvertedFile file = {.models = std::move(models),
                        .from = plan.layout,
                        .state_dict = plan.state_dict,
                        .tensors = static_cast<int64_t>(stored.tensors.size()),
                        .left_out = std::move(stored.unstorable),
                        .lacking = std::move(stored.lacking),
                        .filled = std::move(stored.filled),
                        .licence = std::move(licence),
                        .licence_note = std::move(licence_note)};
  ASSIGN_OR_RETURN(file.bytes, WriteStored(std::move(stored.tensors), inputs, out));
  RETURN_IF_ERROR(out.Commit());
  return file;
}

}  // namespace modelport
