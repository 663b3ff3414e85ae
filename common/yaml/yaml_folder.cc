#include "common/yaml/yaml_folder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/mapped_file.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<YamlFile> ReadYamlFile(const fs::path& path) {
  std::error_code error;
  if (path.extension() == ".yml") {
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": a plugin's files end in .yaml; rename it"));
  }
  if (!fs::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": is not a file"));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path.string()));
  return YamlFile{path.string(), std::string(file->bytes().substr(0, kMaxYamlSize + 1))};
}

}  // namespace

absl::StatusOr<std::vector<YamlFile>> ReadYamlFolder(const std::string& folder) {
  std::vector<YamlFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    ASSIGN_OR_RETURN(files.emplace_back(), ReadYamlFile(path));
  }
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  std::sort(files.begin(), files.end(), [](const YamlFile& a, const YamlFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace modelport
