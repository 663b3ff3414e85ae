#include "registry/recognise/assign_files.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/likeness.h"
#include "common/status/status_macros.h"
#include "registry/recognise/find_checkpoint.h"

namespace modelport {
namespace {

// "backbone (dinov2_vits14_pretrain.pth), linear_head (dinov2_vits14_linear_head.pth)".
std::string DescribeParts(const std::vector<WeightPart>& parts) {
  return absl::StrJoin(parts, ", ", [](std::string* out, const WeightPart& part) {
    absl::StrAppend(out, part.file->part, part.file->name.empty() ? "" : absl::StrCat(" (", part.file->name, ")"));
  });
}

absl::Status CheckNumber(const Variant& variant, const std::vector<WeightPart>& parts,
                         const std::vector<GivenCheckpoint>& given) {
  if (given.size() <= parts.size()) return absl::OkStatus();
  const std::string wants =
      parts.size() == 1 ? "one file, not several" : absl::StrCat(parts.size(), " files: ", DescribeParts(parts));
  return absl::InvalidArgumentError(absl::StrCat(given.back().checkpoint.path(), ": is one of ", given.size(),
                                                 " checkpoints, but ", variant.name, " is ", wants));
}

absl::Status CheckDistinct(const std::vector<GivenCheckpoint>& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      std::error_code error;
      const std::string &first = given[j].checkpoint.path(), &second = given[i].checkpoint.path();
      if (!std::filesystem::equivalent(first, second, error)) continue;
      return absl::InvalidArgumentError(absl::StrCat(second, ": is given twice",
                                                     first == second ? "" : absl::StrCat(", also as ", first),
                                                     "; --checkpoint wants one file for each part"));
    }
  }
  return absl::OkStatus();
}

bool Fits(const GivenCheckpoint& given, const WeightPart& part) {
  const absl::StatusOr<KeyMapper> mapper = KeyMapper::Make(given.checkpoint, *part.key_map, given.choice);
  return mapper.ok() && mapper->FitsWhole(part.tree);
}

double Share(const GivenCheckpoint& given, const WeightPart& part) {
  const absl::StatusOr<Likeness> likeness = Likeness::Make(given.checkpoint, *part.key_map, given.choice);
  return likeness.ok() ? likeness->Of(part.tree).share : 0;
}

class Assignment {
 public:
  Assignment(const Variant& variant, const std::vector<WeightPart>& parts, const std::vector<GivenCheckpoint>& given)
      : variant_(variant), parts_(parts), given_(given), part_of_(given.size()), file_of_(parts.size()) {
    for (const GivenCheckpoint& file : given) {
      std::vector<bool>& row = fits_.emplace_back();
      for (const WeightPart& part : parts) row.push_back(Fits(file, part));
    }
  }

  absl::StatusOr<std::vector<size_t>> Find() {
    for (size_t file = 0; file < given_.size(); ++file) {
      const std::vector<size_t> free = FreeParts(file);
      const auto named = std::find_if(free.begin(), free.end(), [&](size_t part) {
        return HasName(*parts_[part].file, given_[file].checkpoint.path());
      });
      if (named != free.end()) Assign(file, *named);
    }
    while (const absl::optional<size_t> file = MostCertain()) Assign(*file, FreeParts(*file).front());
    for (size_t file = 0; file < given_.size(); ++file) {
      if (!part_of_[file]) RETURN_IF_ERROR(CheckNoOverlap(file));
    }
    for (size_t file = 0; file < given_.size(); ++file) {
      if (!part_of_[file]) Assign(file, NearestFreePart(file));
    }
    std::vector<size_t> result;
    for (const absl::optional<size_t>& part : part_of_) result.push_back(*part);
    return result;
  }

 private:
  void Assign(size_t file, size_t part) {
    part_of_[file] = part;
    file_of_[part] = file;
  }

  // The parts that `file` fits and that have no file yet.
  std::vector<size_t> FreeParts(size_t file) const {
    std::vector<size_t> free;
    for (size_t part = 0; part < parts_.size(); ++part) {
      if (fits_[file][part] && !file_of_[part]) free.push_back(part);
    }
    return free;
  }

  // The file without a part that fits the fewest free ones; the first of several. nullopt if none fits any.
  absl::optional<size_t> MostCertain() const {
    absl::optional<size_t> best;
    size_t fewest = parts_.size() + 1;
    for (size_t file = 0; file < given_.size(); ++file) {
      const size_t count = part_of_[file] ? 0 : FreeParts(file).size();
      if (count == 0 || count >= fewest) continue;
      fewest = count;
      best = file;
    }
    return best;
  }

  // Fails if `file`, which has no part, fits one that another file has.
  absl::Status CheckNoOverlap(size_t file) const {
    for (size_t part = 0; part < parts_.size(); ++part) {
      if (!fits_[file][part]) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(given_[file].checkpoint.path(), ": fills ", parts_[part].Title(variant_), ", as ",
                       given_[*file_of_[part]].checkpoint.path(), " does\n  leave one of them out; the parts are ",
                       DescribeParts(parts_)));
    }
    return absl::OkStatus();
  }

  size_t NearestFreePart(size_t file) const {
    size_t nearest = 0;
    double best = -1;
    for (size_t part = 0; part < parts_.size(); ++part) {
      const double share = file_of_[part] ? -1 : Share(given_[file], parts_[part]);
      if (share <= best) continue;
      best = share;
      nearest = part;
    }
    return nearest;
  }

  const Variant& variant_;
  const std::vector<WeightPart>& parts_;
  const std::vector<GivenCheckpoint>& given_;
  std::vector<std::vector<bool>> fits_;          // By file and part.
  std::vector<absl::optional<size_t>> part_of_;  // By file.
  std::vector<absl::optional<size_t>> file_of_;  // By part.
};

}  // namespace

bool HasName(const PublishedFile& file, absl::string_view path) {
  const std::vector<std::string> names = NamesOf(file);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return path == name || absl::EndsWith(path, absl::StrCat("/", name));
  });
}

absl::StatusOr<std::vector<GivenCheckpoint>> OpenGiven(const CheckpointFiles& files) {
  std::vector<GivenCheckpoint> given;
  for (const CheckpointFile& file : files) {
    ASSIGN_OR_RETURN(Checkpoint opened, OpenCheckpoint(file.path));
    given.push_back({std::move(opened), file.choice});
  }
  return given;
}

absl::StatusOr<std::vector<WeightPart>> ChooseParts(const CatalogEntry& entry, const ModuleTree& tree,
                                                    const std::vector<GivenCheckpoint>& given) {
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, SplitWeights(*entry.plugin, *entry.variant, tree));
  absl::optional<WeightPart> whole = WholeTree(*entry.plugin, *entry.variant, tree);
  if (given.size() != 1 || !whole) return parts;
  const GivenCheckpoint& file = given.front();
  const auto fits = [&](const WeightPart& part) { return Fits(file, part); };
  const auto is_less_like = [&](const WeightPart& part) { return Share(file, part) < Share(file, *whole); };
  const bool is_whole = fits(*whole) || (std::none_of(parts.begin(), parts.end(), fits) &&
                                         std::all_of(parts.begin(), parts.end(), is_less_like));
  if (!is_whole) return parts;
  parts.clear();
  parts.push_back(*std::move(whole));
  return parts;
}

absl::StatusOr<std::vector<size_t>> AssignFiles(const Variant& variant, const std::vector<WeightPart>& parts,
                                                const std::vector<GivenCheckpoint>& given) {
  RETURN_IF_ERROR(CheckDistinct(given));
  RETURN_IF_ERROR(CheckNumber(variant, parts, given));
  if (parts.size() == 1) return std::vector<size_t>{0};
  return Assignment(variant, parts, given).Find();
}

}  // namespace modelport
