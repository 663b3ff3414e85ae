#include "tools/predict/run/load_artifact.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/build/formats.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/request/artifact_request.h"
#include "artifact/signature/artifact_signature.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/version.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/lint/script_file.h"
#include "common/torchscript/runtime/operators.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

absl::Status CheckTakesImages(const Manifest& manifest) {
  if (manifest.preprocessing().inside() && manifest.target() == "libtorch") return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("takes prepared tensors, not images\n  export it with --with_preprocess: ",
                   ToolCall("export", absl::StrCat("--model=", Brief(manifest.model()), " --with_preprocess"))));
}

// Who wrote an artifact. A manifest is as foreign as its artifact; only a signature or this user's own cache says whose
// they are.
enum class Origin { kForeign, kKnown };

absl::StatusOr<LoadedArtifact> Load(const std::string& path, std::shared_ptr<const MappedFile> file,
                                    const absl::optional<ArtifactSignature>& signature, Origin origin) {
  // ArtifactFile would call a file of no known kind a damaged zip archive.
  if (const absl::Status status = CheckScriptFile(file->bytes()); !status.ok()) return Annotate(status, path);
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> artifact, ReadArtifact(path, std::move(file)));
  ASSIGN_OR_RETURN(StatedManifest stated, ReadStatedManifest(*artifact, signature));
  if (!stated.other_release.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(stated.path, ": ", stated.other_release,
                                                      "\n  run it with that release, or export the model again"));
  }
  if (const absl::Status status = CheckTakesImages(stated.manifest); !status.ok()) return Annotate(status, path);
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(stated.manifest));
  absl::StatusOr<ScriptFile> script =
      origin == Origin::kKnown ? ReadScriptFile(artifact->bytes()) : LoadForeignScript(artifact->bytes());
  if (!script.ok()) return Annotate(script.status(), path);
  if (!script->module.find_method("forward")) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": has no method forward, which takes the image"));
  }
  script->module.eval();
  return LoadedArtifact{path, std::move(script->module), std::move(stated.manifest), Sha256Of(json)};
}

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

absl::StatusOr<LoadedArtifact> LoadArtifact(const std::string& path, const std::string& public_key) {
  if (public_key.empty()) {
    ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
    return Load(path, file, absl::nullopt, Origin::kForeign);
  }
  // What is loaded is what was signed, whatever another process writes to the file.
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> copy, MappedFile::OpenCopy(path));
  ASSIGN_OR_RETURN(const ArtifactSignature signature, CheckSignature(path, *copy, public_key));
  return Load(path, copy, signature, Origin::kKnown);
}

absl::StatusOr<LoadedArtifact> LoadKeptArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  RETURN_IF_ERROR(CheckKeptAlone(path, file->info()));
  return Load(path, file, absl::nullopt, Origin::kKnown);
}

absl::Status CheckKeptAlone(const std::string& path, const struct stat& info) {
  if (info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(path, ": another user owns it or may write to it, and kept artifacts are code that is run",
                   "\n  delete it, with all that it holds, or name another place by XDG_CACHE_HOME"));
}

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
