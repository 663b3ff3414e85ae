#include "registry/registry.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"

namespace modelport {

absl::StatusOr<Registry> Registry::Load(const BuiltIn& built_in, const std::vector<std::string>& plugin_paths) {
  RETURN_IF_ERROR(built_in.status());
  std::vector<PluginFolder> added;
  for (const std::string& path : plugin_paths) {
    ASSIGN_OR_RETURN(std::vector<PluginFolder> folders, ReadPluginFolders(path));
    std::move(folders.begin(), folders.end(), std::back_inserter(added));
  }
  ASSIGN_OR_RETURN(std::vector<std::unique_ptr<const Plugin>> plugins, LinkPlugins(GroupByFolder(*built_in), added));
  return Registry({std::make_move_iterator(plugins.begin()), std::make_move_iterator(plugins.end())}, !added.empty());
}

std::vector<CatalogEntry> Registry::catalog() const {
  std::vector<CatalogEntry> entries;
  for (const auto& plugin : plugins_) {
    for (const Variant& variant : plugin->variants) entries.push_back({plugin.get(), &variant});
  }
  return entries;
}

absl::StatusOr<CatalogEntry> Registry::Find(absl::string_view variant) const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    if (entry.variant->name == variant) return entry;
    names.push_back(entry.variant->name);
  }
  const absl::string_view cure = has_added_ ? "" : "\n  --plugin_path=FOLDER adds the plugins that are not built in";
  return absl::NotFoundError(absl::StrCat("unknown model \"", variant, "\"", NearestHint(variant, names), cure));
}

absl::StatusOr<Registry> Registry::Only(absl::string_view family) const {
  std::vector<std::string> families;
  for (const std::shared_ptr<const Plugin>& plugin : plugins_) {
    if (plugin->family == family) return Registry({plugin}, has_added_);
    if (!plugin->variants.empty()) families.push_back(plugin->family);
  }
  return absl::NotFoundError(absl::StrCat("unknown family \"", family, "\"", NearestHint(family, families)));
}

}  // namespace modelport
