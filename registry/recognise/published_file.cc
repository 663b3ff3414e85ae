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

}  // namespace

std::string IsPublished(const PublishedFile& file, absl::string_view source) {
  if (file.sha256.empty()) return "";
  if (!HasDigest(file, source)) return "no";
  if (file.sha256.size() == kDigits) return "yes";
  return absl::StrCat("yes, by the first ", file.sha256.size(), " digits of its sha256");
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
