#include "tools/catalog_page/render_catalog.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "common/text/embedded_file.h"
#include "common/text/template.h"
#include "common/text/units.h"
#include "tools/catalog_page/artifact_facts.h"
#include "tools/catalog_page/templates.h"

namespace modelport {
namespace {

absl::StatusOr<std::string> Fill(absl::string_view name, const TemplateData& data) {
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(CatalogTemplates(), name));
  return FillTemplate(text, data, EscapeHtml);
}

}  // namespace

absl::StatusOr<std::string> CatalogJson(const std::vector<Manifest>& manifests) {
  std::vector<std::string> texts;
  for (const Manifest& manifest : manifests) {
    ASSIGN_OR_RETURN(texts.emplace_back(), WriteManifest(manifest));
  }
  return absl::StrCat("{\"models\": [\n", absl::StrJoin(texts, ","), "]}\n");
}

absl::StatusOr<std::string> CatalogHtml(const std::vector<Manifest>& manifests) {
  const int seeded = std::count_if(manifests.begin(), manifests.end(),
                                   [](const Manifest& manifest) { return !manifest.warning().empty(); });
  TemplateData page;
  page.values["count"] = Counted(manifests.size(), "artifact");
  page.values["seeded_count"] = absl::StrCat(seeded);
  page.lists["some_seeded"] = KeepIf(seeded > 0);
  std::string& models = page.verbatim["models"];
  for (const Manifest& manifest : manifests) {
    ASSIGN_OR_RETURN(const std::string rows, Fill("model.html", ArtifactFacts(manifest)));
    absl::StrAppend(&models, rows);
  }
  return Fill("page.html", page);
}

}  // namespace modelport
