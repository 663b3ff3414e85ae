#include "registry/plugin_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kPluginFile = "plugin.yaml";
constexpr absl::string_view kKeyMapFile = "keymap.yaml";

// The most plugins below one --plugin_path; ten times more than the catalog could need.
constexpr size_t kMaxPlugins = 1000;

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether the folder is a plugin, even with a misnamed plugin.yml, which is reported later.
bool HoldsPlugin(const fs::path& folder) { return IsFile(folder / "plugin.yaml") || IsFile(folder / "plugin.yml"); }

}  // namespace

absl::string_view FileName(const YamlFile& file) {
  const absl::string_view path = file.path;
  return path.substr(path.rfind('/') + 1);
}

const YamlFile* PluginFolder::Find(absl::string_view name) const {
  const auto file = std::find_if(files.begin(), files.end(), [&](const YamlFile& f) { return FileName(f) == name; });
  return file == files.end() ? nullptr : &*file;
}

std::vector<const YamlFile*> PluginFolder::modules_files() const {
  std::vector<const YamlFile*> modules;
  for (const YamlFile& file : files) {
    if (FileName(file) != kPluginFile && FileName(file) != kKeyMapFile) modules.push_back(&file);
  }
  return modules;
}

std::vector<PluginFolder> GroupByFolder(const YamlTree& tree) {
  std::map<std::string, PluginFolder> folders;
  for (const YamlFile& file : tree.files) {
    const std::string path = file.path.substr(0, file.path.rfind('/'));
    PluginFolder& folder = folders[path];
    folder.path = path;
    folder.place = (fs::path(tree.root) / path).string();
    folder.files.push_back(file);
  }
  std::vector<PluginFolder> sorted;
  for (auto& [path, folder] : folders) sorted.push_back(std::move(folder));
  return sorted;
}

absl::StatusOr<std::vector<PluginFolder>> ReadPluginFolders(const std::string& path) {
  std::vector<fs::path> candidates = {path};
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) candidates.push_back(entry->path());
  }
  if (error) return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
  std::sort(candidates.begin(), candidates.end());
  std::vector<PluginFolder> folders;
  for (const fs::path& candidate : candidates) {
    if (!HoldsPlugin(candidate)) continue;
    if (folders.size() == kMaxPlugins) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": more than ", kMaxPlugins,
                                                     " plugins in this folder and below it; name one nearer to yours"));
    }
    ASSIGN_OR_RETURN(std::vector<YamlFile> files, ReadYamlFolder(candidate.string()));
    folders.push_back({candidate.string(), std::move(files), candidate.string()});
  }
  if (!folders.empty()) return folders;
  return absl::NotFoundError(absl::StrCat(path, ": no plugin.yaml in this folder or below it"));
}

}  // namespace modelport
