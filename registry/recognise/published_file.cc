#include "registry/recognise/published_file.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"
#include "registry/recognise/find_checkpoint.h"
#include "registry/recognise/published_choice.h"

namespace modelport {
namespace {

constexpr size_t kDigits = 64;

absl::Status CheckFile(const Registry& registry, const Variant& variant, const PublishedFile& wanted,
                       const std::string& path, absl::string_view source) {
  if (wanted.sha256.empty() || HasDigest(wanted, source)) return absl::OkStatus();
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
  const std::string place = PublishedPlace(wanted);
  return absl::FailedPreconditionError(absl::StrCat(path, ": is the published file of ", absl::StrJoin(models, ", "),
                                                    ", not of ", variant.name, "\n  ", source, ", which ", page,
                                                    " states\n  pass --model=", models.front(),
                                                    place.empty() ? "" : absl::StrCat(", or get ", place)));
}

// The name of a file is weak evidence, but nothing else tells such a file from one of `entry`, unless it is the
// published one.
absl::Status CheckName(const CatalogEntry& entry, const PublishedFile& wanted, const std::string& path,
                       absl::string_view source) {
  if (HasDigest(wanted, source)) return absl::OkStatus();
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const Lookalike& lookalike : entry.plugin->lookalikes) {
    if (lookalike.file != name) continue;
    const std::string& model = entry.variant->name;
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": has the name of a file of another model, whose keys and shapes are those of ", model,
                     "\n  that is ", lookalike.model, "\n  if it holds weights of ", model, ", give it another name"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string IsPublished(const PublishedFile& file, absl::string_view source) {
  if (file.sha256.empty()) return "";
  if (!HasDigest(file, source)) return "no";
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

}  // namespace modelport
