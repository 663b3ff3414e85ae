#include "pipeline/published_file.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"
#include "pipeline/find_checkpoint.h"

namespace modelport {
namespace {

absl::Status CheckFile(const Registry& registry, const Variant& variant, const PublishedFile& wanted,
                       const std::string& path, absl::string_view source) {
  if (IsPublished(wanted, source) != "no") return absl::OkStatus();
  std::vector<std::string> models;
  std::string page;
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const PublishedFile& file : entry.variant->files) {
      if (IsPublished(file, source) != "yes") continue;
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

}  // namespace

std::string IsPublished(const PublishedFile& file, absl::string_view source) {
  if (file.sha256.empty()) return "";
  return source == absl::StrCat("sha256:", file.sha256) ? "yes" : "no";
}

absl::Status CheckPublishedFiles(const Registry& registry, const Variant& variant, const std::vector<MappedPart>& parts,
                                 const std::vector<std::string>& sources) {
  for (size_t i = 0; i < sources.size() && i < parts.size(); ++i) {
    const MappedPart& part = parts[i];
    RETURN_IF_ERROR(CheckFile(registry, variant, *part.part.file, part.checkpoint.path(), sources[i]));
  }
  return absl::OkStatus();
}

}  // namespace modelport
