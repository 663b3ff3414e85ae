#include "registry/recognise/recognise_model.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/text/first_few.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/fitting_parts.h"
#include "registry/recognise/nearest_variant.h"

namespace modelport {
namespace {

// "a.pth and b.pth".
std::string PathsOf(const std::vector<GivenCheckpoint>& given) {
  return absl::StrJoin(given, " and ", [](std::string* out, const GivenCheckpoint& file) {
    absl::StrAppend(out, file.checkpoint.path());
  });
}

absl::Status FitsSeveral(const std::vector<GivenCheckpoint>& given, const std::vector<std::string>& names) {
  return absl::FailedPreconditionError(absl::StrCat(PathsOf(given), given.size() == 1 ? ": fits " : ": fit ",
                                                    names.size(),
                                                    " models\n  --model=NAME chooses: ", absl::StrJoin(names, ", ")));
}

// What has the keys and shapes of `checkpoint` is refused by a config.json.
absl::Status AllRefused(const Checkpoint& checkpoint, const std::vector<FittingVariant>& variants) {
  std::string message =
      absl::StrCat(checkpoint.path(), ": fits no model of the catalog: what has its keys and shapes is refused");
  for (const FittingVariant& variant : variants) {
    absl::StrAppend(&message, "\n  ", absl::StrReplaceAll(variant.plan.status().message(), {{"\n", "\n  "}}));
  }
  return absl::Status(variants.front().plan.status().code(), message);
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

absl::StatusOr<CatalogEntry> RecogniseOne(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  const auto& [checkpoint, choice] = given.front();
  const std::vector<FittingVariant> variants = FindFittingVariants(registry, checkpoint, choice);
  const std::vector<std::string> names = NamesOfFitting(variants);
  if (names.size() == 1) return registry.Find(names.front());
  if (!names.empty()) return FitsSeveral(given, names);
  if (!variants.empty()) return AllRefused(checkpoint, variants);
  const std::vector<FittingPart> parts = FindFittingParts(registry, checkpoint, choice);
  return parts.empty() ? FitsNoModel(registry, checkpoint, choice) : FillsAPart(checkpoint, parts);
}

}  // namespace

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

absl::StatusOr<CatalogEntry> RecogniseModel(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  if (given.size() == 1) return RecogniseOne(registry, given);
  const std::vector<CatalogEntry> variants = FindVariantsOfFiles(registry, given);
  if (variants.size() == 1) return variants.front();
  if (variants.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(PathsOf(given), ": fill no model of the catalog together\n  ",
                                                      "--model=NAME says what keeps them from filling that one"));
  }
  std::vector<std::string> names;
  for (const CatalogEntry& entry : variants) names.push_back(entry.variant->name);
  return FitsSeveral(given, names);
}

absl::Status FitsNoModel(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  std::string message = absl::StrCat(checkpoint.path(), ": fits no model of the catalog");
  if (choice.layout != "auto") absl::StrAppend(&message, " in layout ", choice.layout);
  if (const auto nearest = FindNearestVariant(registry, checkpoint, choice)) {
    absl::StrAppend(&message, "\n  the nearest is ", nearest->name, " ", nearest->differences);
  }
  return absl::FailedPreconditionError(
      absl::StrCat(message, "\n  --plugin_path=FOLDER adds the plugins that are not built in"));
}

}  // namespace modelport
