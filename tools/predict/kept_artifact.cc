#include "tools/predict/kept_artifact.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/build/formats.h"
#include "artifact/request/artifact_request.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/manifest/manifest.h"
#include "common/manifest/version.h"
#include "common/status/status_macros.h"
#include "common/torchscript/runtime/operators.h"
#include "tools/predict/run/load_artifact.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// What tells a file from another one and from its own earlier content, without reading it.
absl::Status AppendIdentity(const std::string& path, std::string& key) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, path);
  absl::StrAppend(&key, path, "\n", info.st_dev, " ", info.st_ino, " ", info.st_size, " ");
  absl::StrAppend(&key, info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ");
  absl::StrAppend(&key, info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec, "\n");
  return absl::OkStatus();
}

absl::Status AppendFiles(const WeightSource& weights, std::string& key) {
  for (const std::string& path : CheckpointPaths(weights)) {
    ASSIGN_OR_RETURN(const Checkpoint checkpoint, OpenCheckpoint(path));
    for (const OpenedFile& opened : checkpoint.files()) RETURN_IF_ERROR(AppendIdentity(opened.path, key));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> NameFor(const ExportOptions& options) {
  const auto& [plugin, variant] = options.request.entry;
  std::string key = absl::StrCat(kModelportVersion, "\n", LibTorchVersion(), "\n", plugin->plugin_digest, "\n",
                                 plugin->key_map_digest, "\n", options.prove, options.allow_nonfinite, "\n",
                                 RequestText(options.request));
  RETURN_IF_ERROR(AppendFiles(options.request.weights, key));
  return absl::StrCat(variant->name, "-", Sha256Of(key).substr(0, 16), FormatOf(*options.request.target).ending());
}

absl::Status CheckOwner(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, path);
  return CheckKeptAlone(path, info);
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) == 0) return absl::OkStatus();
  if (errno == EEXIST) return CheckOwner(folder);
  return absl::ErrnoToStatus(errno, absl::StrCat(folder, ": cannot be made; XDG_CACHE_HOME names another place"));
}

}  // namespace

absl::StatusOr<std::string> CacheFolder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/') {
    return absl::StrCat(cache, "/modelport");
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    return absl::StrCat(home, "/.cache/modelport");
  }
  return absl::NotFoundError("no place to keep artifacts: set HOME or XDG_CACHE_HOME to an absolute path");
}

absl::StatusOr<KeptArtifact> KeepArtifact(const Registry& registry, ExportOptions options, const std::string& folder) {
  RETURN_IF_ERROR(MakeFolder(folder));
  ASSIGN_OR_RETURN(const std::string name, NameFor(options));
  const std::string path = absl::StrCat(folder, "/", name);
  // A manifest never stands beside an artifact that is not whole.
  std::error_code error;
  if (fs::exists(path, error) && fs::exists(ManifestPath(path), error)) {
    RETURN_IF_ERROR(CheckOwner(path));
    RETURN_IF_ERROR(CheckOwner(ManifestPath(path)));
    return KeptArtifact{path};
  }
  options.out = path;
  RETURN_IF_ERROR(ExportModel(registry, options).status());
  // Under a umask of 002 a group could write to them.
  for (const std::string& file : {path, ManifestPath(path)}) {
    fs::permissions(file, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, error);
    if (error) return absl::ErrnoToStatus(error.value(), file);
  }
  return KeptArtifact{path, /*exported_now=*/true};
}

}  // namespace modelport
