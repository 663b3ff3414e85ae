#include "tools/predict/run/load_artifact.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/signature/artifact_signature.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/lint/script_file.h"
#include "tools/command/tool_call.h"
#include "tools/predict/run/artifact_cache.h"

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
  ASSIGN_OR_RETURN(const ArtifactFile artifact, ArtifactFile::Read(path, std::move(file)));
  ASSIGN_OR_RETURN(StatedManifest stated, ReadStatedManifest(artifact, signature));
  if (!stated.other_release.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(stated.path, ": ", stated.other_release,
                                                      "\n  run it with that release, or export the model again"));
  }
  if (const absl::Status status = CheckTakesImages(stated.manifest); !status.ok()) return Annotate(status, path);
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(stated.manifest));
  absl::StatusOr<ScriptFile> script =
      origin == Origin::kKnown ? ReadScriptFile(artifact.bytes()) : LoadForeignScript(artifact.bytes());
  if (!script.ok()) return Annotate(script.status(), path);
  if (!script->module.find_method("forward")) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": has no method forward, which takes the image"));
  }
  script->module.eval();
  return LoadedArtifact{path, std::move(script->module), std::move(stated.manifest), Sha256Of(json)};
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

}  // namespace modelport
