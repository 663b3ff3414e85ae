#include "targets/nuke/package_files.h"

#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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

std::string FileName(absl::string_view path, const std::string& model) {
  absl::string_view name = path.substr(path.rfind('/') + 1);
  return absl::ConsumePrefix(&name, "model") ? absl::StrCat(model, name) : std::string(name);
}

}  // namespace

absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const Manifest& manifest) {
  ASSIGN_OR_RETURN(const TemplateData data, NukePackageData(manifest));
  std::vector<PackageFile> files;
  for (const EmbeddedFile& source : NukeTemplates()) {
    PackageFile file = {FileName(source.path, manifest.model()), std::string(source.text)};
    if (!absl::EndsWith(file.name, ".png")) {
      ASSIGN_OR_RETURN(file.text, FillTemplate(source.text, data, EscapeOf(file.name)));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace modelport
