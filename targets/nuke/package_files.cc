#include "targets/nuke/package_files.h"

#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/manifest/artifact_name.h"
#include "common/status/status_macros.h"
#include "targets/nuke/package_data.h"
#include "targets/nuke/templates.h"

namespace modelport {
namespace {

// Within the quotes of JSON and Python.
std::string EscapeQuoted(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

// Within the quotes of Nuke's scripts, which are Tcl.
std::string EscapeTcl(absl::string_view text) {
  return absl::StrReplaceAll(EscapeQuoted(text), {{"[", "\\["}, {"{", "\\{"}, {"}", "\\}"}, {"$", "\\$"}});
}

// Within the cells of a table.
std::string EscapeMarkdown(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}}); }

std::function<std::string(absl::string_view)> EscapeOf(absl::string_view name) {
  if (absl::EndsWith(name, ".nk") || absl::EndsWith(name, ".gizmo")) return EscapeTcl;
  if (absl::EndsWith(name, ".md")) return EscapeMarkdown;
  return EscapeQuoted;
}

// The name of a template's file in the package, "" for an icon of other packages: those of depth have icon_depth.png,
// or icon_depth_seeded.png for seeded weights.
std::string FileName(absl::string_view path, const Manifest& manifest) {
  absl::string_view name = path.substr(path.rfind('/') + 1);
  if (absl::ConsumePrefix(&name, "model")) return absl::StrCat(ArtifactName(manifest), name);
  if (!absl::ConsumePrefix(&name, "icon_")) return std::string(name);
  const std::string icon = absl::StrCat(manifest.interface().kind(), manifest.warning().empty() ? "" : "_seeded");
  if (!absl::ConsumePrefix(&name, icon) || (name != ".png" && name != "@2x.png")) return "";
  return absl::StrCat(ArtifactName(manifest), name);
}

}  // namespace

absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const Manifest& manifest) {
  ASSIGN_OR_RETURN(const TemplateData data, NukePackageData(manifest));
  std::vector<PackageFile> files;
  for (const EmbeddedFile& source : NukeTemplates()) {
    PackageFile file = {FileName(source.path, manifest), std::string(source.text)};
    if (file.name.empty()) continue;
    if (!absl::EndsWith(file.name, ".png")) {
      ASSIGN_OR_RETURN(file.text, FillTemplate(source.text, data, EscapeOf(file.name)));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace modelport
