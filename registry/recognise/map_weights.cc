#include "registry/recognise/map_weights.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/status/status_macros.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/find_checkpoint.h"

namespace modelport {
namespace {

absl::StatusOr<std::vector<MappedPart>> MapSeeded(const Variant& variant, std::vector<WeightPart>& parts,
                                                  const Seeded& seeded) {
  std::vector<MappedPart> mapped;
  for (WeightPart& part : parts) {
    Checkpoint weights = MakeSeededCheckpoint(PublishedKeys(*part.key_map, part.tree), seeded.seed);
    ASSIGN_OR_RETURN(Plan plan, MakePlan(weights, *part.key_map, part.tree, {"original"}, part.Title(variant)));
    mapped.push_back({std::move(part), std::move(weights), std::move(plan)});
  }
  return mapped;
}

// A line that says what `given`, which does not fit `title`, fits instead; "" if that is nothing, or if the keys and
// shapes of `title` fit in another way.
std::string HintAtFitting(const Registry& registry, const std::string& title, const GivenCheckpoint& given) {
  const absl::optional<std::string>& state_dict = given.choice.state_dict;
  const std::vector<FittingVariant> variants = FindFittingVariants(registry, given.checkpoint, {"auto", state_dict});
  const std::vector<std::string> models = NamesOfFitting(variants);
  const std::vector<std::string> parts = TitlesOf(FindFittingParts(registry, given.checkpoint, {"auto", state_dict}));
  for (const std::vector<std::string>& titles : {models, parts}) {
    if (std::count(titles.begin(), titles.end(), title) > 0) return "";
  }
  if (!models.empty()) {
    return absl::StrCat("\n  it fits another model: --model=", absl::StrJoin(models, " or --model="));
  }
  // Two of the file's dictionaries fit it, for example.
  const auto is_title = [&](const FittingVariant& variant) { return variant.entry.variant->name == title; };
  if (std::any_of(variants.begin(), variants.end(), is_title)) return "";
  return parts.empty() ? "" : absl::StrCat("\n  it fits ", absl::StrJoin(parts, " or "));
}

// What to do if no checkpoint is given for `part`; `first` is one that is.
absl::Status NoFile(const Variant& variant, const WeightPart& part, const std::string& first) {
  const PublishedFile& file = *part.file;
  const std::string place = PublishedPlace(file);
  return absl::InvalidArgumentError(
      absl::StrCat(first, ": fills a part of ", variant.name, ", and no file is given for ", file.part,
                   place.empty() ? "" : absl::StrCat("\n  get ", place), "\n  pass --checkpoint=", first, ",",
                   file.name.empty() ? "FILE" : file.name));
}

absl::StatusOr<std::vector<MappedPart>> MapGiven(const Registry& registry, const CatalogEntry& entry,
                                                 const ModuleTree& tree, const std::vector<GivenCheckpoint>& given) {
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, ChooseParts(entry, tree, given));
  ASSIGN_OR_RETURN(const std::vector<size_t> part_of, AssignFiles(*entry.variant, parts, given));
  std::vector<const GivenCheckpoint*> file_of(parts.size());
  for (size_t i = 0; i < given.size(); ++i) file_of[part_of[i]] = &given[i];
  std::vector<MappedPart> mapped;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (file_of[i] == nullptr) continue;
    ASSIGN_OR_RETURN(MappedPart part, MapPart(registry, entry, std::move(parts[i]), *file_of[i]));
    mapped.push_back(std::move(part));
  }
  // Reported last: a file that fits no part may be the one meant for this.
  for (size_t i = 0; i < parts.size(); ++i) {
    if (file_of[i] == nullptr) return NoFile(*entry.variant, parts[i], given.front().checkpoint.path());
  }
  return mapped;
}

}  // namespace

absl::StatusOr<std::vector<MappedPart>> MapWeights(const Registry& registry, const CatalogEntry& entry,
                                                   const ModuleTree& tree, const WeightSource& source) {
  if (const auto* const seeded = std::get_if<Seeded>(&source)) {
    ASSIGN_OR_RETURN(std::vector<WeightPart> parts, SplitWeights(*entry.plugin, *entry.variant, tree));
    return MapSeeded(*entry.variant, parts, *seeded);
  }
  ASSIGN_OR_RETURN(const std::vector<GivenCheckpoint> given, OpenGiven(*std::get_if<CheckpointFiles>(&source)));
  return MapGiven(registry, entry, tree, given);
}

absl::StatusOr<MappedPart> MapPart(const Registry& registry, const CatalogEntry& entry, WeightPart part,
                                   const GivenCheckpoint& given, absl::FunctionRef<void(const Comparison&)> on_misfit) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(given.checkpoint, *part.key_map, given.choice));
  const std::string title = part.Title(*entry.variant);
  absl::StatusOr<Comparison> comparison = mapper.Compare(part.tree, title);
  if (comparison.ok() && !comparison->fits()) on_misfit(*comparison);
  absl::StatusOr<Plan> plan =
      CheckPlan(mapper, *entry.variant, mapper.MakePlan(std::move(comparison), part.tree, title));
  if (absl::IsFailedPrecondition(plan.status())) {
    return absl::FailedPreconditionError(absl::StrCat(plan.status().message(), HintAtFitting(registry, title, given)));
  }
  RETURN_IF_ERROR(plan.status());
  return MappedPart{std::move(part), given.checkpoint, *std::move(plan)};
}

absl::StatusOr<MappedWeights> MapCheckpoint(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                            Checkpoint checkpoint, const SourceChoice& choice) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped, MapGiven(registry, entry, tree, {{std::move(checkpoint), choice}}));
  return MappedWeights{std::move(mapped[0].checkpoint), std::move(mapped[0].plan)};
}

}  // namespace modelport
