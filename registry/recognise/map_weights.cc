#include "registry/recognise/map_weights.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/plugin.h"
#include "registry/recognise/checked_plan.h"

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

// What to do if no checkpoint is given for `part`; `first` is one that is.
absl::Status NoFile(const Variant& variant, const WeightPart& part, const std::string& first) {
  const PublishedFile& file = *part.file;
  const std::string place = PublishedAddress(file);
  return absl::InvalidArgumentError(
      absl::StrCat(first, ": fills a part of ", variant.name, ", and no file is given for ", file.part,
                   place.empty() ? "" : absl::StrCat("\n  get ", place), "\n  pass --checkpoint=", first, ",",
                   file.name.empty() ? "FILE" : file.name));
}

// What to do where a config.json contradicts `entry` and no other model agrees.
std::string CureOf(const CatalogEntry& entry, const WeightPart& part, const Checkpoint& checkpoint,
                   const std::string& layout) {
  const auto comparison = CompareConfig(checkpoint, entry, part.file->part, *part.key_map->Find(layout));
  return comparison.ok() ? ConfigCure(*comparison, entry) : "";
}

}  // namespace

absl::StatusOr<std::vector<MappedPart>> MapWeights(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                                   const WeightSource& source) {
  if (const auto* const seeded = std::get_if<Seeded>(&source)) {
    ASSIGN_OR_RETURN(std::vector<WeightPart> parts, SplitWeights(*entry.plugin, *entry.variant, tree));
    return MapSeeded(*entry.variant, parts, *seeded);
  }
  ASSIGN_OR_RETURN(const std::vector<GivenCheckpoint> given, OpenGiven(*std::get_if<CheckpointFiles>(&source)));
  return MapGiven(hint, entry, tree, given);
}

absl::StatusOr<std::vector<MappedPart>> MapGiven(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                                 const std::vector<GivenCheckpoint>& given) {
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, ChooseParts(entry, tree, given));
  ASSIGN_OR_RETURN(const std::vector<size_t> part_of, AssignFiles(*entry.variant, parts, given));
  std::vector<const GivenCheckpoint*> file_of(parts.size());
  for (size_t i = 0; i < given.size(); ++i) file_of[part_of[i]] = &given[i];
  std::vector<MappedPart> mapped;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (file_of[i] == nullptr) continue;
    ASSIGN_OR_RETURN(MappedPart part, MapPart(hint, entry, std::move(parts[i]), *file_of[i]));
    mapped.push_back(std::move(part));
  }
  // Reported last: a file that fits no part may be the one meant for this.
  for (size_t i = 0; i < parts.size(); ++i) {
    if (file_of[i] == nullptr) return NoFile(*entry.variant, parts[i], given.front().checkpoint.path());
  }
  return mapped;
}

absl::StatusOr<MappedPart> MapPart(MisfitHint hint, const CatalogEntry& entry, WeightPart part,
                                   const GivenCheckpoint& given, absl::FunctionRef<void(const Comparison&)> on_misfit) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(given.checkpoint, *part.key_map, given.choice));
  const std::string title = part.Title(*entry.variant);
  absl::StatusOr<Comparison> comparison = mapper.Compare(part.tree, title);
  if (comparison.ok() && !comparison->fits()) on_misfit(*comparison);
  absl::StatusOr<Plan> plan = mapper.MakePlan(std::move(comparison), part.tree, title);
  const std::string layout = plan.ok() ? plan->layout : "";
  plan = CheckPlan(mapper, entry, part.file->part, std::move(plan));
  if (absl::IsFailedPrecondition(plan.status())) {
    // Where it fits in two ways, nothing that it fits instead is of use.
    const bool fits_twice = layout.empty() && mapper.Fits(part.tree);
    std::string more = fits_twice ? "" : hint(entry, title, given);
    // Keys and shapes fit, so config.json is what does not.
    if (more.empty() && !layout.empty()) more = CureOf(entry, part, given.checkpoint, layout);
    return absl::FailedPreconditionError(absl::StrCat(plan.status().message(), more));
  }
  RETURN_IF_ERROR(plan.status());
  // A part of a file is taken where the file as a whole is no other model.
  if (plan->others > 0) {
    if (const std::string more = hint(entry, title, given); !more.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(given.checkpoint.path(), ": fits ", title, " with a part of its keys, those that begin with ",
                       Brief(plan->prefix), more, "\n  --prefix=", Brief(plan->prefix), " takes that part"));
    }
  }
  return MappedPart{std::move(part), given.checkpoint, *std::move(plan)};
}

absl::StatusOr<MappedWeights> MapCheckpoint(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                            Checkpoint checkpoint, const SourceChoice& choice) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped, MapGiven(hint, entry, tree, {{std::move(checkpoint), choice}}));
  return MappedWeights{std::move(mapped[0].checkpoint), std::move(mapped[0].plan)};
}

}  // namespace modelport
