#include "registry/recognise/published_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/module_tree/module_tree.h"
#include "common/progress/progress.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr size_t kDigits = 64;

void AppendPart(std::string* out, const PublishedFile& file) { absl::StrAppend(out, file.part); }

absl::Status CheckFile(const Registry& registry, const Variant& variant, const PublishedFile& wanted,
                       const std::string& path, absl::string_view source) {
  if (wanted.sha256.empty() || HasDigest(wanted, source)) return absl::OkStatus();
  for (const PublishedFile& file : variant.files) {
    if (!HasDigest(file, source)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": is the published file of the part ", file.part, " of ", variant.name, ", not of ", wanted.part,
        "\n  give the files in the order of the parts: ", absl::StrJoin(variant.files, ",", AppendPart)));
  }
  std::vector<std::string> models;
  std::string page;
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const PublishedFile& file : entry.variant->files) {
      if (!HasDigest(file, source)) continue;
      models.push_back(entry.variant->name);
      page = file.sha256_url;
    }
  }
  if (models.empty()) return absl::OkStatus();
  const std::string place = PublishedAddress(wanted);
  return absl::FailedPreconditionError(absl::StrCat(path, ": is the published file of ", absl::StrJoin(models, ", "),
                                                    ", not of ", variant.name, "\n  ", source, ", which ", page,
                                                    " states\n  pass --model=", models.front(),
                                                    place.empty() ? "" : absl::StrCat(", or get ", place)));
}

// Whether a checkpoint of one of the modules, in the family's own layout, fits the other.
bool HaveEqualSlots(const Plugin& plugin, const Call& a, const Call& b) {
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(plugin.library, a),
                                   other = BuildModuleTree(plugin.library, b);
  if (!tree.ok() || !other.ok()) return false;
  const auto is_equal = [](const Slot& x, const Slot& y) { return x.name == y.name && x.shape == y.shape; };
  return std::equal(tree->slots.begin(), tree->slots.end(), other->slots.begin(), other->slots.end(), is_equal);
}

// The name of a file is weak evidence, but nothing else tells a file of another variant of the family that has the keys
// and shapes of this one, unless it is the published one.
absl::Status CheckName(const CatalogEntry& entry, const PublishedFile& wanted, const std::string& path,
                       absl::string_view source) {
  if (HasDigest(wanted, source) || HasName(wanted, path)) return absl::OkStatus();
  const std::string& model = entry.variant->name;
  for (const Variant& other : entry.plugin->variants) {
    for (const PublishedFile& file : other.files) {
      if (other.name == model || !HasName(file, path)) continue;
      // Files of variants with other slots may have one name, such as "model.safetensors", and are not mistaken.
      const bool are_whole = other.files.size() == 1 && entry.variant->files.size() == 1;
      if (are_whole && !HaveEqualSlots(*entry.plugin, entry.variant->module, other.module)) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          path, ": has the name of the published file of ", other.name, ", whose keys and shapes are those of ", model,
          "\n  pass --model=", other.name, "; if it holds weights of ", model, ", give it another name"));
    }
  }
  return absl::OkStatus();
}

// All files that the plugin names for the model, with the one that holds the whole.
std::vector<PublishedFile> FilesOf(const CatalogEntry& entry) {
  std::vector<PublishedFile> files = entry.variant->files;
  if (!entry.variant->whole.name.empty()) files.push_back(entry.variant->whole);
  return files;
}

// Those of `entries` that have the most of `files`, where is_file(published, file) tells whether one is the other; none
// if no entry has any.
template <typename IsFile>
std::vector<CatalogEntry> WithMost(const std::vector<CatalogEntry>& entries, const std::vector<std::string>& files,
                                   const IsFile& is_file) {
  std::vector<CatalogEntry> best;
  size_t most = 1;
  for (const CatalogEntry& entry : entries) {
    const std::vector<PublishedFile> published = FilesOf(entry);
    const size_t count = std::count_if(files.begin(), files.end(), [&](const std::string& file) {
      return std::any_of(published.begin(), published.end(), [&](const auto& p) { return is_file(p, file); });
    });
    if (count > most) best.clear();
    if (count < most) continue;
    most = count;
    best.push_back(entry);
  }
  return best;
}

bool StatesDigests(const std::vector<CatalogEntry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const CatalogEntry& entry) {
    const std::vector<PublishedFile> files = FilesOf(entry);
    return std::any_of(files.begin(), files.end(), [](const PublishedFile& file) { return !file.sha256.empty(); });
  });
}

// "sha256:HEX" of each, as manifests have it.
std::vector<std::string> Digests(const std::vector<GivenCheckpoint>& given) {
  constexpr size_t kPiece = 1 << 24;
  int64_t size = 0;
  for (const GivenCheckpoint& file : given) size += file.checkpoint.size();
  Progress progress("hash", size);
  std::vector<std::string> digests;
  for (const GivenCheckpoint& file : given) {
    Sha256 digest;
    for (const OpenedFile& opened : file.checkpoint.files()) {
      for (size_t begin = 0; begin < opened.bytes.size(); begin += kPiece) {
        const absl::string_view piece = opened.bytes.substr(begin, kPiece);
        digest.Update(piece);
        progress.Add(static_cast<int64_t>(piece.size()));
      }
    }
    digests.push_back(absl::StrCat("sha256:", digest.HexDigest()));
  }
  return digests;
}

}  // namespace

std::string IsPublished(const PublishedFile& file, absl::string_view source) {
  if (file.sha256.empty()) return "";
  // The digest is that of one file; others with the same weights may be published, whose digest is not known.
  if (!HasDigest(file, source)) return file.also.empty() ? "no" : "";
  if (file.sha256.size() == kDigits) return "yes";
  return absl::StrCat("yes, by the first ", file.sha256.size(), " digits of its sha256");
}

absl::Status CheckPublishedFiles(const Registry& registry, const CatalogEntry& entry,
                                 const std::vector<MappedPart>& parts, const std::vector<std::string>& sources) {
  for (size_t i = 0; i < sources.size() && i < parts.size(); ++i) {
    const MappedPart& part = parts[i];
    const PublishedFile& file = *part.part.file;
    RETURN_IF_ERROR(CheckFile(registry, *entry.variant, file, part.checkpoint.path(), sources[i]));
    RETURN_IF_ERROR(CheckName(entry, file, part.checkpoint.path(), sources[i]));
  }
  return absl::OkStatus();
}

bool HasDigest(const PublishedFile& file, absl::string_view source) {
  return !file.sha256.empty() && absl::StartsWith(source, absl::StrCat("sha256:", file.sha256));
}

absl::optional<CatalogEntry> ChooseByName(const std::vector<CatalogEntry>& entries,
                                          const std::vector<std::string>& files) {
  const std::vector<CatalogEntry> named = WithMost(entries, files, HasName);
  return named.size() == 1 ? absl::make_optional(named.front()) : absl::nullopt;
}

absl::optional<PublishedChoice> ChooseByPublishedFiles(const std::vector<CatalogEntry>& entries,
                                                       const std::vector<GivenCheckpoint>& given) {
  std::vector<CatalogEntry> left;
  if (StatesDigests(entries)) left = WithMost(entries, Digests(given), HasDigest);
  if (left.size() == 1) return PublishedChoice{left.front(), /*by_digest=*/true};
  std::vector<std::string> paths;
  for (const GivenCheckpoint& file : given) paths.push_back(file.checkpoint.path());
  const absl::optional<CatalogEntry> named = ChooseByName(left.empty() ? entries : left, paths);
  return named ? absl::make_optional(PublishedChoice{*named, /*by_digest=*/false}) : absl::nullopt;
}

}  // namespace modelport
