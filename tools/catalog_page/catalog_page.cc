// Writes the catalog as a page and as JSON. The rule catalog_page() runs it.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "tools/catalog_page/render_catalog.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

struct PageFlags {
  FlagGroup group;
  Flag<std::vector<std::string>> manifests{
      group, "manifests", {}, "the manifests, in the order of the page; separated by commas"};
  Flag<std::string> html{group, "html", "", "the page to write"};
  Flag<std::string> json{group, "json", "", "the JSON to write, in the folder of the page"};
};

absl::StatusOr<Manifest> ReadManifest(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return ParseManifest(file->bytes(), path);
}

absl::StatusOr<OutputFile> Write(const std::string& path, absl::string_view text) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(file.Write(text));
  return file;
}

absl::Status WritePage(const PageFlags& flags) {
  std::vector<Manifest> manifests;
  for (const std::string& path : *flags.manifests) {
    ASSIGN_OR_RETURN(manifests.emplace_back(), ReadManifest(ResolveUserPath(path)));
  }
  ASSIGN_OR_RETURN(const std::string json_text, CatalogJson(manifests));
  ASSIGN_OR_RETURN(const std::string html_text, CatalogHtml(manifests));
  ASSIGN_OR_RETURN(OutputFile json, Write(ResolveUserPath(*flags.json), json_text));
  ASSIGN_OR_RETURN(OutputFile html, Write(ResolveUserPath(*flags.html), html_text));
  return OutputFile::CommitTogether({&json, &html});
}

}  // namespace

Command CatalogPageCommand() {
  return {
      .name = "catalog_page",
      .summary = "Writes the page and the JSON of a catalog from the manifests of its artifacts.",
      .begin = TakesFlags<PageFlags>(WritePage),
  };
}

}  // namespace modelport
