#include "tools/predict/run/load_artifact.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/signature/artifact_signature.h"
#include "common/checkpoint/file_kind.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/lint/script_file.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

absl::Status CheckTakesImages(const Manifest& manifest) {
  if (manifest.preprocessing().inside()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("takes prepared tensors, not images\n  export it with --with_preprocess: ",
                   ToolCall("export", absl::StrCat("--model=", Brief(manifest.model()), " --with_preprocess"))));
}

// Forgets what the outputs of forward are measured in, which knobs change.
void ForgetUnit(Manifest& manifest) {
  for (Manifest::EntryPoint& entry_point : *manifest.mutable_entry_points()) {
    for (Manifest::Result& output : *entry_point.mutable_outputs()) {
      output.clear_unit();
      output.clear_larger_is();
    }
  }
}

// Who wrote an artifact. A manifest is as foreign as its artifact; only a signature or this user's own cache says whose
// they are.
enum class Origin { kForeign, kKnown };

absl::StatusOr<LoadedArtifact> Load(const std::string& path, std::shared_ptr<const MappedFile> file,
                                    const absl::optional<ArtifactSignature>& signature, Origin origin) {
  // ArtifactFile would call a file of no known kind a damaged zip archive.
  const bool is_onnx = IsOnnx(file->bytes());
  const absl::Status known = is_onnx ? absl::OkStatus() : CheckScriptFile(file->bytes());
  if (!known.ok()) return Annotate(known, path);
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> artifact, ReadArtifact(path, std::move(file)));
  ASSIGN_OR_RETURN(StatedManifest stated, ReadStatedManifest(*artifact, signature));
  if (!stated.other_release.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(stated.path, ": ", stated.other_release,
                                                      "\n  run it with that release, or export the model again"));
  }
  if (const absl::Status status = CheckTakesImages(stated.manifest); !status.ok()) return Annotate(status, path);
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(stated.manifest));
  LoadedArtifact loaded = {path, torch::jit::Module("none"), {}, std::move(stated.manifest), Sha256Of(json)};
  if (!loaded.manifest.knob_values().empty()) ForgetUnit(loaded.manifest);
  if (is_onnx) {
    absl::StatusOr<onnx::OpenVinoModel> model = onnx::OpenVinoModel::LoadBytes(artifact->bytes());
    if (!model.ok()) return Annotate(model.status(), path);
    loaded.onnx = *std::move(model);
    return loaded;
  }
  absl::StatusOr<ScriptFile> script =
      origin == Origin::kKnown ? ReadScriptFile(artifact->bytes()) : LoadForeignScript(artifact->bytes());
  if (!script.ok()) return Annotate(script.status(), path);
  if (!script->module.find_method("forward")) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": has no method forward, which takes the image"));
  }
  script->module.eval();
  loaded.module = std::move(script->module);
  return loaded;
}

// The knob of this name.
absl::StatusOr<const Manifest::Knob*> FindKnob(const LoadedArtifact& artifact, const std::string& name) {
  std::vector<std::string> names;
  for (const Manifest::Knob& knob : artifact.manifest.knobs()) {
    if (knob.name() == name) return &knob;
    names.push_back(knob.name());
  }
  const std::string why = artifact.onnx   ? "knobs are constants in an ONNX file, which export --knob sets"
                          : names.empty() ? "it has no knobs"
                                          : absl::StrCat("no such knob", NearestHint(name, names));
  return absl::InvalidArgumentError(absl::StrCat("--knob=", Brief(name), ": ", artifact.path, ": ", why));
}

absl::Status TurnKnob(const std::string& name, double value, LoadedArtifact& artifact) {
  ASSIGN_OR_RETURN(const Manifest::Knob* const knob, FindKnob(artifact, name));
  const bool is_integer = knob->type() == "int";
  // Bounds of a foreign manifest may be any numbers; an integer has to be one that a double holds.
  constexpr double kMostInteger = 1e15;
  const bool is_within = value >= knob->min() && value <= knob->max();
  if (!is_within || (is_integer && (value != std::floor(value) || std::abs(value) > kMostInteger))) {
    return absl::InvalidArgumentError(absl::StrCat("--knob=", name, "=", value, ": wants ",
                                                   is_integer ? "an integer" : "a number", " from ", knob->min(),
                                                   " to ", knob->max()));
  }
  const c10::IValue given = is_integer ? c10::IValue(static_cast<int64_t>(value)) : c10::IValue(value);
  const absl::Status set = CatchTorch([&] { artifact.module.setattr(name, given); });
  if (!set.ok()) return Annotate(set, absl::StrCat(artifact.path, ": the knob ", name, " of its manifest"));
  if (value != knob->value()) ForgetUnit(artifact.manifest);
  return absl::OkStatus();
}

}  // namespace

absl::Status TurnKnobs(const std::map<std::string, double>& values, LoadedArtifact& artifact) {
  for (const auto& [name, value] : values) RETURN_IF_ERROR(TurnKnob(name, value, artifact));
  return absl::OkStatus();
}

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

}  // namespace modelport
