#include "models/built_in_plugins.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// As Bazel names this repository among the data of a program, in whatever repository the program is.
constexpr absl::string_view kRepository = "modelport";

// The path by which this process was started, which may be a link in the runfiles of a test, and then the program that
// the link leads to.
std::vector<std::string> ProgramPaths() {
  std::vector<std::string> paths;
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string name;
  std::error_code error;
  // A name without a slash was found in a folder of PATH.
  if (std::getline(stream, name, '\0') && name.find('/') != std::string::npos) {
    paths.push_back(fs::absolute(name, error).lexically_normal());
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) paths.push_back(program);
  return paths;
}

// The folders in `folder`, sorted; none if it cannot be listed.
std::vector<fs::path> SubfoldersOf(const fs::path& folder) {
  std::vector<fs::path> subfolders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) subfolders.push_back(entry->path());
  }
  std::sort(subfolders.begin(), subfolders.end());
  return subfolders;
}

bool HasPlugins(const std::string& root) {
  const std::vector<fs::path> families = SubfoldersOf(fs::path(root) / "models");
  return std::any_of(families.begin(), families.end(), [](const fs::path& family) {
    std::error_code error;
    return fs::is_regular_file(family / "plugin.yaml", error);
  });
}

absl::StatusOr<YamlTree> ReadBuiltInPlugins() {
  std::vector<std::string> tried;
  for (const std::string& program : ProgramPaths()) {
    for (const std::string& root : DataFolders(program)) {
      if (HasPlugins(root)) return ReadPluginFiles(root);
      tried.push_back(absl::StrCat("\n    ", root));
    }
  }
  return absl::NotFoundError(absl::StrCat(
      "the plugins that come with Modelport are not where the program looks for them:", absl::StrJoin(tried, ""),
      "\n  keep the folders bin and share of a release together, or start a program of a checkout by ./bazelw run"));
}

}  // namespace

std::vector<std::string> DataFolders(absl::string_view program) {
  std::vector<std::string> folders = {absl::StrCat(program, ".runfiles/", kRepository)};
  constexpr absl::string_view kRunfiles = ".runfiles/";
  const size_t runfiles = program.rfind(kRunfiles);
  if (runfiles != absl::string_view::npos) {
    folders.push_back(absl::StrCat(program.substr(0, runfiles + kRunfiles.size()), kRepository));
  }
  const fs::path bin = fs::path(std::string(program)).parent_path();
  folders.push_back((bin.parent_path() / "share" / std::string(kRepository)).string());
  return folders;
}

absl::StatusOr<YamlTree> ReadPluginFiles(const std::string& root) {
  YamlTree tree = {root, {}};
  for (const char* const kind : {"models", "targets"}) {
    for (const fs::path& family : SubfoldersOf(fs::path(root) / kind)) {
      ASSIGN_OR_RETURN(std::vector<YamlFile> read, ReadYamlFolder(family.string()));
      for (YamlFile& file : read) {
        tree.files.push_back({fs::path(file.path).lexically_relative(root).string(), std::move(file.text)});
      }
    }
  }
  return tree;
}

const absl::StatusOr<YamlTree>& BuiltInPlugins() {
  static const auto* const plugins = new absl::StatusOr<YamlTree>(ReadBuiltInPlugins());
  return *plugins;
}

}  // namespace modelport
