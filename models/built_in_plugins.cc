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

std::vector<std::string> SortedEntries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool HasPlugins(const std::string& root) {
  const fs::path models = fs::path(root) / "models";
  const std::vector<std::string> names = SortedEntries(models);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    std::error_code error;
    return fs::is_regular_file(models / name / "plugin.yaml", error);
  });
}

absl::StatusOr<std::string> ReadText(const fs::path& path) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error);
  std::string text(is_file ? fs::file_size(path, error) : 0, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!is_file || error || !stream.read(text.data(), text.size())) {
    return absl::UnavailableError(absl::StrCat(path.string(), ": cannot be read"));
  }
  return text;
}

absl::StatusOr<std::vector<YamlFile>> ReadBuiltInPlugins() {
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

absl::StatusOr<std::vector<YamlFile>> ReadPluginFiles(const std::string& root) {
  std::vector<YamlFile> files;
  for (const char* const kind : {"models", "targets"}) {
    for (const std::string& family : SortedEntries(fs::path(root) / kind)) {
      for (const std::string& name : SortedEntries(fs::path(root) / kind / family)) {
        if (fs::path(name).extension() != ".yaml") continue;
        const std::string path = absl::StrCat(kind, "/", family, "/", name);
        ASSIGN_OR_RETURN(std::string text, ReadText(fs::path(root) / path));
        files.push_back({path, std::move(text)});
      }
    }
  }
  return files;
}

const absl::StatusOr<std::vector<YamlFile>>& BuiltInPlugins() {
  static const auto* const plugins = new absl::StatusOr<std::vector<YamlFile>>(ReadBuiltInPlugins());
  return *plugins;
}

}  // namespace modelport
