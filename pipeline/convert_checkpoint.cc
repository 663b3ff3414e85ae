#include "pipeline/convert_checkpoint.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/output_file.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/key_pattern.h"
#include "common/progress/progress.h"
#include "common/progress/progress_writer.h"
#include "common/source/verify_inputs.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/nearest.h"
#include "common/text/units.h"
#include "pipeline/each_variant.h"
#include "pipeline/join_parts.h"
#include "pipeline/known_layout.h"
#include "pipeline/map_weights.h"
#include "pipeline/recognise_model.h"

namespace modelport {
namespace {

// A checkpoint, and what of it fills slots.
struct Input {
  Checkpoint checkpoint;
  std::vector<SlotSource> sources;
};

// What a file in the target layout holds, and the models for which that is so.
struct Converted {
  std::vector<std::string> models;
  Plan plan;
  StoredLayout stored;
};

// An item of --leave_out: a name as it is, or a pattern of keys.
class LeaveOut {
 public:
  static absl::StatusOr<LeaveOut> Parse(const std::string& text) {
    absl::StatusOr<KeyPattern> pattern = KeyPattern::Parse(text);
    // The root's path "." is a name and no pattern.
    if (!pattern.ok() && text != ".") return Annotate(pattern.status(), absl::StrCat("--leave_out=", text));
    return LeaveOut(text, pattern.ok() ? absl::make_optional(*std::move(pattern)) : absl::nullopt);
  }

  const std::string& text() const { return text_; }
  bool Matches(const std::string& name) const { return name == text_ || (pattern_ && pattern_->Matches(name)); }

 private:
  LeaveOut(std::string text, absl::optional<KeyPattern> pattern)
      : text_(std::move(text)), pattern_(std::move(pattern)) {}

  std::string text_;
  absl::optional<KeyPattern> pattern_;
};

bool IsLeftOut(const std::string& name, const std::vector<LeaveOut>& items) {
  return std::any_of(items.begin(), items.end(), [&](const LeaveOut& item) { return item.Matches(name); });
}

absl::StatusOr<std::vector<LeaveOut>> ParseLeaveOut(const std::vector<std::string>& texts) {
  std::vector<LeaveOut> items;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(LeaveOut item, LeaveOut::Parse(text));
    items.push_back(std::move(item));
  }
  return items;
}

// `checkpoint` without the tensors that `items` name, whose keys are added to `left_out`; it shares the open file.
// nullopt if none or all are left out.
absl::optional<Checkpoint> Without(const Checkpoint& checkpoint, const std::vector<LeaveOut>& items,
                                   std::vector<Unstorable>* left_out) {
  Checkpoint::Contents contents = {.path = checkpoint.path(),
                                   .format = checkpoint.format(),
                                   .files = checkpoint.files(),
                                   .storages = checkpoint.storages(),
                                   .state_dicts = {},
                                   .loose = checkpoint.loose(),
                                   .metadata = checkpoint.metadata()};
  for (StateDict dict : checkpoint.state_dicts()) {
    const auto end = std::remove_if(dict.tensors.begin(), dict.tensors.end(), [&](const CheckpointTensor& tensor) {
      if (!IsLeftOut(tensor.key, items)) return false;
      left_out->push_back({tensor.key, "the model has no place for it"});
      return true;
    });
    dict.tensors.erase(end, dict.tensors.end());
    if (!dict.tensors.empty()) contents.state_dicts.push_back(std::move(dict));
  }
  if (left_out->empty() || contents.state_dicts.empty()) return absl::nullopt;
  return Checkpoint(std::move(contents));
}

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
  ASSIGN_OR_RETURN(MappedWeights weights, MapCheckpoint(registry, entry, tree, checkpoint, choice));
  ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, weights.plan, options.layout));
  return Converted{{entry.variant->name}, std::move(weights.plan), std::move(stored)};
}

// The conversion for every model that the checkpoint fits, if it is the same for all of them.
absl::StatusOr<Converted> ConvertForAny(const Registry& registry, const Checkpoint& checkpoint,
                                        const ConvertOptions& options) {
  const SourceChoice& choice = options.checkpoints.front().choice;
  absl::optional<Converted> conversion;
  absl::Status error;
  const auto visit = [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) -> absl::Status {
    if (!mapper.Fits(tree)) return absl::OkStatus();
    ASSIGN_OR_RETURN(Plan plan, mapper.MakePlan(tree, entry.variant->name));
    ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, plan, options.layout));
    if (!conversion) {
      conversion = Converted{{}, std::move(plan), std::move(stored)};
    } else if (conversion->stored != stored) {
      return absl::FailedPreconditionError(absl::StrCat(
          checkpoint.path(), ": fits several models, which give different files: --model=", conversion->models.front(),
          " or --model=", entry.variant->name));
    }
    conversion->models.push_back(entry.variant->name);
    return absl::OkStatus();
  };
  ForEachVariant<KeyMapper>(registry, checkpoint, choice,
                            [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
                              if (error.ok()) error = visit(mapper, entry, tree);
                            });
  RETURN_IF_ERROR(error);
  if (conversion) return *std::move(conversion);
  return FitsNoModel(registry, checkpoint, choice);
}

absl::StatusOr<Converted> ConvertAs(const Registry& registry, const Checkpoint& checkpoint,
                                    const ConvertOptions& options) {
  if (options.model.empty()) return ConvertForAny(registry, checkpoint, options);
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(options.model));
  return ConvertFor(registry, entry, checkpoint, options);
}

// The conversion of the checkpoint; if it fits no model, of the checkpoint without what may be left out.
absl::StatusOr<Converted> Convert(const Registry& registry, const Checkpoint& checkpoint,
                                  const std::vector<LeaveOut>& items, const ConvertOptions& options) {
  absl::StatusOr<Converted> converted = ConvertAs(registry, checkpoint, options);
  if (!absl::IsFailedPrecondition(converted.status())) return converted;
  std::vector<Unstorable> left_out;
  if (const absl::optional<Checkpoint> rest = Without(checkpoint, items, &left_out)) {
    converted = ConvertAs(registry, *rest, options);
  }
  if (converted.ok()) {
    std::vector<Unstorable>& unstorable = converted->stored.unstorable;
    unstorable.insert(unstorable.end(), left_out.begin(), left_out.end());
    return converted;
  }
  if (!absl::StrContains(converted.status().message(), " unexpected")) return converted;
  return absl::FailedPreconditionError(absl::StrCat(
      converted.status().message(), "\n  --leave_out=KEY,... leaves out keys for which the model has no place"));
}

// What the tensors are made of.
std::vector<SlotSource> SourcesOf(const std::vector<StoredTensor>& tensors) {
  std::vector<SlotSource> sources;
  for (const StoredTensor& tensor : tensors) sources.push_back(tensor.source);
  return sources;
}

// The conversion of a checkpoint of a whole model, which is added to `inputs`.
absl::StatusOr<Converted> ConvertWhole(const Registry& registry, const std::vector<LeaveOut>& items,
                                       const ConvertOptions& options, std::vector<Input>* inputs) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, OpenCheckpoint(options.checkpoints.front().path));
  ASSIGN_OR_RETURN(Converted converted, Convert(registry, checkpoint, items, options));
  inputs->push_back({checkpoint, SourcesOf(converted.stored.tensors)});
  return converted;
}

// The conversion of the checkpoints that fill the parts of one model, which are added to `inputs`.
absl::StatusOr<Converted> ConvertParts(const Registry& registry, const ConvertOptions& options,
                                       std::vector<Input>* inputs) {
  if (options.model.empty()) {
    return absl::InvalidArgumentError("--model is missing: several checkpoints are the parts of one model");
  }
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(options.model));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(const std::vector<MappedPart> parts, MapWeights(registry, entry, tree, options.checkpoints));
  for (const MappedPart& part : parts) inputs->push_back({part.checkpoint, part.plan.sources});
  Plan plan = JoinParts(parts);
  ASSIGN_OR_RETURN(StoredLayout stored, Store(entry, tree, plan, options.layout));
  return Converted{{entry.variant->name}, std::move(plan), std::move(stored)};
}

absl::Status MatchesNothing(const LeaveOut& item, const std::vector<Unstorable>& unstorable,
                            const ConvertOptions& options) {
  std::vector<std::string> names;
  for (const Unstorable& part : unstorable) names.push_back(part.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--leave_out=", item.text(), ": names nothing that layout ", options.layout, " cannot hold",
                   names.empty() ? "; it holds the whole checkpoint" : NearestHint(item.text(), names)));
}

// Makes sure that everything in `unstorable` may be left out.
absl::Status CheckLeftOut(const std::vector<Unstorable>& unstorable, const std::vector<LeaveOut>& items,
                          const ConvertOptions& options) {
  for (const LeaveOut& item : items) {
    const auto matches = [&](const Unstorable& part) { return item.Matches(part.name); };
    if (std::none_of(unstorable.begin(), unstorable.end(), matches)) return MatchesNothing(item, unstorable, options);
  }
  std::vector<std::string> lines;
  for (const Unstorable& part : unstorable) {
    if (!IsLeftOut(part.name, items)) lines.push_back(absl::StrCat(part.name, ": ", part.reason));
  }
  if (lines.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      absl::StrJoin(CheckpointPaths(options.checkpoints), ", "), ": layout ", options.layout, " cannot hold ",
      Counted(lines.size(), "part"), " of it\n  ", absl::StrJoin(lines, "\n  "),
      "\n  --leave_out=KEY,... writes the file without them; a KEY may be a pattern such as head.{rest*}"));
}

SafetensorsTensor HeaderOf(const StoredTensor& tensor) {
  return {tensor.key, tensor.source.dtype(), tensor.source.shape()};
}

// Writes the elements of the tensors one by one.
class ElementsWriter {
 public:
  ElementsWriter(Writer& out, std::string checkpoints) : out_(out), checkpoints_(std::move(checkpoints)) {}

  absl::Status Write(const std::string& key, const SlotSource& tensor) {
    const size_t size = *ElementCount(tensor.shape()) * ByteSize(tensor.dtype());
    const absl::optional<TensorView> view = tensor.view();
    if (view && view->strides == RowMajorStrides(view->shape)) return out_.WriteLasting({view->data, size});
    if (size > capacity_) {
      buffer_.reset();
      buffer_ = std::make_unique_for_overwrite<char[]>(size);
      capacity_ = size;
    }
    RETURN_IF_ERROR(Annotate(Annotate(tensor.Evaluate(buffer_.get()), key), checkpoints_));
    return out_.Write({buffer_.get(), size});
  }

 private:
  Writer& out_;
  const std::string checkpoints_;  // Their paths.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

// What a safetensors file states beside its tensors; of several files none knows what is in the others.
std::map<std::string, std::string> MetadataFor(const std::vector<Input>& inputs) {
  const Checkpoint& checkpoint = inputs.front().checkpoint;
  if (inputs.size() == 1 && checkpoint.format() == "safetensors") return checkpoint.metadata();
  return {{"format", "pt"}};
}

std::string Paths(const std::vector<Input>& inputs) {
  return absl::StrJoin(inputs, ", ", [](std::string* out, const Input& input) { *out += input.checkpoint.path(); });
}

// Writes the tensors, of which there is one at least, in the order of the library. Returns the size of the file.
absl::StatusOr<int64_t> WriteTensors(std::vector<StoredTensor> tensors, const std::vector<Input>& inputs,
                                     OutputFile& out) {
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return ComesBefore(HeaderOf(a), HeaderOf(b)); });
  std::vector<SafetensorsTensor> headers;
  for (const StoredTensor& tensor : tensors) headers.push_back(HeaderOf(tensor));
  const std::string header = SafetensorsHeader(headers, MetadataFor(inputs));
  int64_t size = header.size();
  for (const SafetensorsTensor& tensor : headers) size += *ElementCount(tensor.shape) * ByteSize(tensor.dtype);
  Progress progress("write", size);
  ProgressWriter writer(out, progress);
  RETURN_IF_ERROR(writer.Write(header));
  ElementsWriter elements(writer, Paths(inputs));
  for (const StoredTensor& tensor : tensors) RETURN_IF_ERROR(elements.Write(tensor.key, tensor.source));
  return size;
}

absl::StatusOr<ConvertedFile> Write(Converted conversion, const std::vector<Input>& inputs, OutputFile out) {
  ConvertedFile file = {.models = std::move(conversion.models),
                        .from = conversion.plan.layout,
                        .state_dict = conversion.plan.state_dict,
                        .tensors = static_cast<int64_t>(conversion.stored.tensors.size()),
                        .left_out = std::move(conversion.stored.unstorable),
                        .lacking = std::move(conversion.stored.lacking)};
  const absl::StatusOr<int64_t> bytes = WriteTensors(std::move(conversion.stored.tensors), inputs, out);
  // If the checkpoint became shorter, writing fails with a system error that seems to be about `out`: this one comes
  // first.
  for (const Input& input : inputs) RETURN_IF_ERROR(input.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(bytes.status());
  for (const auto& [checkpoint, sources] : inputs) RETURN_IF_ERROR(VerifyInputs(checkpoint, sources));
  RETURN_IF_ERROR(out.Commit());
  file.bytes = *bytes;
  return file;
}

}  // namespace

absl::StatusOr<ConvertedFile> ConvertCheckpoint(const Registry& registry, const ConvertOptions& options) {
  for (const std::string& file : registry.files()) RETURN_IF_ERROR(CheckNotSameFile(options.out, file));
  for (const CheckpointFile& file : options.checkpoints) {
    RETURN_IF_ERROR(CheckKnownLayout(registry, "from", file.choice.layout));
  }
  ASSIGN_OR_RETURN(const std::vector<LeaveOut> items, ParseLeaveOut(options.leave_out));
  std::vector<Input> inputs;
  ASSIGN_OR_RETURN(Converted conversion, options.checkpoints.size() == 1
                                             ? ConvertWhole(registry, items, options, &inputs)
                                             : ConvertParts(registry, options, &inputs));
  for (const Input& input : inputs) {
    for (const OpenedFile& file : input.checkpoint.files()) RETURN_IF_ERROR(CheckNotSameFile(options.out, file.path));
  }
  RETURN_IF_ERROR(CheckLeftOut(conversion.stored.unstorable, items, options));
  ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(options.out));
  return Write(std::move(conversion), inputs, std::move(out));
}

}  // namespace modelport
