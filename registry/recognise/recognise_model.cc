#include "registry/recognise/recognise_model.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/keymap/choose_layout.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/likeness.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/nearest.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/published_file.h"

namespace modelport {
namespace {

// "a.pth and b.pth".
std::string PathsOf(const std::vector<GivenCheckpoint>& given) {
  return absl::StrJoin(given, " and ", [](std::string* out, const GivenCheckpoint& file) {
    absl::StrAppend(out, file.checkpoint.path());
  });
}

// The one of `entries`, which all have the keys and shapes of `given`, whose published files these are.
absl::StatusOr<RecognisedModel> ChooseOne(const std::vector<CatalogEntry>& entries,
                                          const std::vector<GivenCheckpoint>& given) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries) names.push_back(entry.variant->name);
  if (entries.size() == 1) return RecognisedModel{entries.front(), "the only model that fits"};
  const bool is_one = given.size() == 1;
  if (const absl::optional<PublishedChoice> chosen = ChooseByPublishedFiles(entries, given)) {
    const std::string others = absl::StrCat(names.size(), " models have ", is_one ? "its" : "their",
                                            " keys and shapes: ", absl::StrJoin(names, ", "));
    const absl::string_view what = chosen->by_digest ? "sha256" : "name";
    return RecognisedModel{
        chosen->entry, absl::StrCat(is_one ? "whose published file has this " : "whose published files are these by ",
                                    what, "; ", others, chosen->by_digest ? "" : "\n--model=NAME takes another")};
  }
  return absl::FailedPreconditionError(absl::StrCat(PathsOf(given), is_one ? ": fits " : ": fit ", names.size(),
                                                    " models\n  --model=NAME chooses: ", absl::StrJoin(names, ", ")));
}

// What has the keys and shapes of `checkpoint` is refused by a config.json.
absl::Status AllRefused(const Checkpoint& checkpoint, const std::vector<FittingVariant>& variants) {
  std::string message =
      absl::StrCat(checkpoint.path(), ": fits no model of the catalog: what has its keys and shapes is refused");
  for (const FittingVariant& variant : variants) {
    absl::StrAppend(&message, "\n  ", absl::StrReplaceAll(variant.plan.status().message(), {{"\n", "\n  "}}));
  }
  absl::StrAppend(&message, "\n  --model=NAME says what can be done about one of them");
  return absl::Status(variants.front().plan.status().code(), message);
}

// A line for each of `models`, which begins with a newline.
std::string FlagsOfEach(const std::vector<InferredModel>& models) {
  return absl::StrJoin(
      models, "", [](std::string* out, const InferredModel& model) { absl::StrAppend(out, "\n  ", FlagsOf(model)); });
}

absl::Status FillsAPart(const Checkpoint& checkpoint, const std::vector<FittingPart>& parts) {
  return absl::FailedPreconditionError(
      absl::StrCat(checkpoint.path(), ": is one of several files that fill a model: ", FirstFew(TitlesOf(parts)),
                   "\n  pass all of them: --checkpoint=", checkpoint.path(), ",FILE"));
}

// True if each of `files`, the parts that it fits, can have a part of its own.
bool CanFillParts(const std::vector<std::set<std::string>>& files, std::set<std::string> taken = {}) {
  if (taken.size() == files.size()) return true;
  for (const std::string& part : files[taken.size()]) {
    if (taken.count(part) > 0) continue;
    std::set<std::string> more = taken;
    more.insert(part);
    if (CanFillParts(files, std::move(more))) return true;
  }
  return false;
}

// The model that a file is which fits none of the catalog as it is there.
absl::StatusOr<RecognisedModel> RecogniseInferred(const Checkpoint& checkpoint, std::vector<InferredModel> models) {
  if (models.size() > 1) {
    return absl::FailedPreconditionError(absl::StrCat(checkpoint.path(), ": fits ", models.size(),
                                                      " models, with other arguments than the catalog's",
                                                      FlagsOfEach(models)));
  }
  InferredModel& model = models.front();
  return RecognisedModel{
      model.entry,
      absl::StrCat("with the arguments ", ArgumentsText(model.arguments), ", which its keys and shapes tell",
                   model.assumed.empty() ? "" : "\nassumed, for these do not tell: ", ArgumentsText(model.assumed)),
      std::move(model.arguments), std::move(model.asked)};
}

absl::StatusOr<RecognisedModel> RecogniseOne(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  const auto& [checkpoint, choice] = given.front();
  auto [variants, inferred] = FindFits(registry, checkpoint, choice);
  std::vector<CatalogEntry> fitting;
  for (const FittingVariant& variant : variants) {
    if (variant.plan.ok()) fitting.push_back(variant.entry);
  }
  if (!fitting.empty()) return ChooseOne(fitting, given);
  if (!variants.empty()) return AllRefused(checkpoint, variants);
  const std::vector<FittingPart> parts = FindFittingParts(registry, checkpoint, choice);
  if (!parts.empty()) return FillsAPart(checkpoint, parts);
  if (!inferred.empty()) return RecogniseInferred(checkpoint, std::move(inferred));
  return FitsNoModel(registry, checkpoint, choice);
}

constexpr double kLeastShare = 0.25;
constexpr double kLeastShapeShare = 0.5;
constexpr size_t kMaxTensors = 100000;  // As many as Likeness reads.

// Scores how many slots of module trees have a tensor of their shape, whatever its name.
class ShapeLikeness {
 public:
  // Reads the dictionary that `choice` names, or the one with the most tensors.
  static absl::StatusOr<ShapeLikeness> Make(const Checkpoint& checkpoint, const KeyMap&, const SourceChoice& choice) {
    ASSIGN_OR_RETURN(const StateDict* const dict, ChooseDict(checkpoint, choice.state_dict));
    ShapeLikeness likeness;
    likeness.tensors_ = dict->tensors.size();
    if (likeness.tensors_ > kMaxTensors) return likeness;
    for (const CheckpointTensor& tensor : dict->tensors) ++likeness.counts_[tensor.shape];
    return likeness;
  }

  size_t CountAlike(const ModuleTree& tree) const {
    absl::flat_hash_map<Shape, size_t> slots;
    for (const Slot& slot : tree.slots) ++slots[slot.shape];
    size_t alike = 0;
    for (const auto& [shape, count] : slots) {
      const auto tensors = counts_.find(shape);
      if (tensors != counts_.end()) alike += std::min(count, tensors->second);
    }
    return alike;
  }

  // Of all slots and tensors.
  double Share(size_t alike, const ModuleTree& tree) const { return 2.0 * alike / (tree.slots.size() + tensors_); }

 private:
  size_t tensors_ = 0;
  absl::flat_hash_map<Shape, size_t> counts_;
};

// What keeps `checkpoint` from fitting `entry`.
std::string Differences(const CatalogEntry& entry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  if (!tree.ok()) return "";
  const absl::Status status = MakePlan(checkpoint, entry.plugin->key_map, *tree, choice, entry.variant->name).status();
  return std::string(absl::StripPrefix(status.message(),
                                       absl::StrCat(checkpoint.path(), ": does not fit ", entry.variant->name, " ")));
}

absl::optional<NearestVariant> NearestByNames(const Registry& registry, const Checkpoint& checkpoint,
                                              const SourceChoice& choice) {
  absl::optional<CatalogEntry> nearest;
  Likeness::Score best{kLeastShare, ""};
  ForEachVariant<Likeness>(registry, checkpoint, choice,
                           [&](const Likeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
                             const Likeness::Score score = likeness.Of(tree);
                             if (score.share <= best.share) return;
                             best = score;
                             nearest = entry;
                           });
  if (!nearest) return absl::nullopt;
  return NearestVariant{nearest->variant->name, Differences(*nearest, checkpoint, {best.layout, choice.state_dict})};
}

absl::optional<NearestVariant> NearestByShapes(const Registry& registry, const Checkpoint& checkpoint,
                                               const SourceChoice& choice) {
  absl::optional<NearestVariant> nearest;
  double best = kLeastShapeShare;
  ForEachVariant<ShapeLikeness>(
      registry, checkpoint, choice,
      [&](const ShapeLikeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
        const size_t alike = likeness.CountAlike(tree);
        const double share = likeness.Share(alike, tree);
        if (share <= best) return;
        best = share;
        nearest = NearestVariant{
            entry.variant->name,
            absl::StrCat("by shapes alone: ", alike, " of its ", tree.slots.size(),
                         " slots have a tensor of their shape; the names are of no layout that it knows\n  ",
                         "--draft prints rules for a layout of its own, to be checked", FileHint(checkpoint))};
      });
  return nearest;
}

// Whether `model` is `entry`, with the same arguments.
bool IsModelOf(const InferredModel& model, const CatalogEntry& entry) {
  if (model.entry.variant->name != entry.variant->name) return false;
  const Call& call = entry.variant->module;
  const ModuleType* const type = entry.plugin->library->Find(call.type);
  if (type == nullptr || type != model.entry.plugin->library->Find(model.module.type)) return false;
  const absl::StatusOr<Scope> arguments = BindArguments(type->signature, call, Scope());
  return arguments.ok() && *arguments == model.all;
}

}  // namespace

std::string FittingHint::operator()(const CatalogEntry& entry, const std::string& title,
                                    const GivenCheckpoint& given) const {
  const absl::optional<std::string>& state_dict = given.choice.state_dict;
  const auto [variants, inferred] = FindFits(registry_, given.checkpoint, {"auto", state_dict});
  // It fits the model at hand, whose arguments are those that it tells.
  const auto is_entry = [&](const InferredModel& model) { return IsModelOf(model, entry); };
  if (std::any_of(inferred.begin(), inferred.end(), is_entry)) return "";
  const std::vector<std::string> models = NamesOfFitting(variants);
  const std::vector<std::string> parts = TitlesOf(FindFittingParts(registry_, given.checkpoint, {"auto", state_dict}));
  for (const std::vector<std::string>& titles : {models, parts}) {
    if (std::count(titles.begin(), titles.end(), title) > 0) return "";
  }
  if (!models.empty()) {
    return absl::StrCat("\n  it fits another model: --model=", absl::StrJoin(models, " or --model="));
  }
  // Two of the file's dictionaries fit it, for example.
  const auto is_title = [&](const FittingVariant& variant) { return variant.entry.variant->name == title; };
  if (std::any_of(variants.begin(), variants.end(), is_title)) return "";
  if (!parts.empty()) return absl::StrCat("\n  it fits ", absl::StrJoin(parts, " or "));
  return inferred.empty() ? "" : absl::StrCat("\n  it fits with other arguments:", FlagsOfEach(inferred));
}

std::vector<CatalogEntry> FindVariantsOfFiles(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  std::vector<std::vector<FittingPart>> fitting;
  for (const auto& [checkpoint, choice] : given) fitting.push_back(FindFittingParts(registry, checkpoint, choice));
  std::vector<CatalogEntry> variants;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (entry.variant->files.size() != given.size()) continue;
    std::vector<std::set<std::string>> files(given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      for (const FittingPart& part : fitting[i]) {
        if (part.entry.variant == entry.variant) files[i].insert(part.part);
      }
    }
    if (CanFillParts(files)) variants.push_back(entry);
  }
  return variants;
}

absl::StatusOr<RecognisedModel> RecogniseModel(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  if (given.size() == 1) return RecogniseOne(registry, given);
  const std::vector<CatalogEntry> variants = FindVariantsOfFiles(registry, given);
  if (variants.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(PathsOf(given), ": fill no model of the catalog together\n  ",
                                                      "--model=NAME says what keeps them from filling that one"));
  }
  return ChooseOne(variants, given);
}

absl::Status FitsNoModel(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  std::string message = absl::StrCat(checkpoint.path(), ": fits no model of the catalog");
  if (choice.layout != "auto") absl::StrAppend(&message, " in layout ", choice.layout);
  if (const auto nearest = FindNearestVariant(registry, checkpoint, choice)) {
    absl::StrAppend(&message, "\n  the nearest is ", nearest->name, " ", nearest->differences);
  } else {
    absl::StrAppend(&message, UnreadTensorsHint(checkpoint), FileHint(checkpoint));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(message, "\n  --plugin_path=FOLDER adds the plugins that are not built in"));
}

absl::Status CheckKnownLayout(const Registry& registry, const SourceChoice& choice) {
  std::set<std::string> names = {"auto"};
  for (const CatalogEntry& entry : registry.catalog()) {
    const KeyMap& key_map = entry.plugin->key_map;
    for (const Layout& known : key_map.layouts) names.insert(known.name);
    for (const KeyMapPart& part : key_map.parts) {
      for (const Layout& known : part.key_map.layouts) names.insert(known.name);
    }
  }
  if (names.count(choice.layout) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", choice.layout_flag, "=", choice.layout, ": no family has this layout",
                   NearestHint(choice.layout, std::vector<std::string>(names.begin(), names.end()))));
}

absl::optional<NearestVariant> FindNearestVariant(const Registry& registry, const Checkpoint& checkpoint,
                                                  const SourceChoice& choice) {
  absl::optional<NearestVariant> nearest = NearestByNames(registry, checkpoint, choice);
  return nearest || choice.layout != "auto" ? nearest : NearestByShapes(registry, checkpoint, choice);
}

}  // namespace modelport
