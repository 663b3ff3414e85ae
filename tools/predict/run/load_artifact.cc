#include "tools/predict/run/load_artifact.h"

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/open_artifact.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/built_module.h"
#include "artifact/format/onnx/stored_onnx.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/manifest/describe_export.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/signature/artifact_signature.h"
#include "common/checkpoint/file_kind.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/module_tree/module_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/archive/script_file.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/command/flags.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

absl::Status CheckTakesImages(const Manifest& manifest) {
  if (manifest.preprocessing().inside()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "takes prepared tensors, not images\n  export it with --with_preprocess: ",
      ToolCall("export", absl::StrCat(ShellFlag("model", manifest.request().model()), " --with_preprocess"))));
}

// Who wrote an artifact. A manifest is as foreign as its artifact; only a signature says whose they are.
enum class Origin { kForeign, kKnown };

absl::StatusOr<LoadedArtifact> Load(const std::string& path, std::shared_ptr<const MappedFile> file,
                                    const absl::optional<ArtifactSignature>& signature, Origin origin) {
  // ArtifactFile would call a file of no known kind a damaged zip archive.
  const bool is_onnx = IsOnnx(file->bytes());
  const absl::Status known = is_onnx ? absl::OkStatus() : CheckScriptFile(file->bytes());
  if (!known.ok()) return Annotate(known, path);
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> artifact,
                   ReadArtifact(path, std::move(file), signature ? signature->data : nullptr));
  ASSIGN_OR_RETURN(StatedManifest stated, ReadStatedManifest(*artifact, signature));
  if (!signature) RETURN_IF_ERROR(CheckDataFile(*artifact, stated));
  if (!stated.other_release.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(stated.path, ": ", stated.other_release,
                                                      "\n  run it with that release, or export the model again"));
  }
  if (const absl::Status status = CheckTakesImages(stated.manifest); !status.ok()) return Annotate(status, path);
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(stated.manifest));
  LoadedArtifact loaded = {
      .path = path, .module = nullptr, .manifest = std::move(stated.manifest), .manifest_sha256 = Sha256Of(json)};
  if (is_onnx) {
    absl::StatusOr<onnx::OpenVinoModel> model =
        onnx::OpenVinoModel::LoadBytes(artifact->bytes(), static_cast<const onnx::StoredOnnx&>(*artifact).model());
    if (!model.ok()) return Annotate(model.status(), path);
    loaded.onnx = *std::move(model);
    return loaded;
  }
  absl::StatusOr<ScriptFile> script =
      origin == Origin::kKnown ? ReadScriptFile(artifact->bytes()) : LoadForeignScript(artifact->bytes());
  if (!script.ok()) return Annotate(script.status(), path);
  if (!script->module->find_method("forward")) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": has no method forward, which takes the image"));
  }
  script->module->eval();
  loaded.module = std::move(script->module);
  return loaded;
}

absl::Status TurnKnob(const std::string& name, double value, LoadedArtifact& artifact) {
  if (artifact.onnx) {
    return absl::InvalidArgumentError(absl::StrCat("--knob=", Brief(name), ": ", artifact.path,
                                                   ": knobs are constants in an ONNX file, which export --knob sets"));
  }
  std::vector<Knob> knobs;
  for (const Manifest::Knob& knob : artifact.manifest.knobs()) {
    knobs.push_back({knob.name(), knob.type() == "int", knob.value(), knob.min(), knob.max(), knob.help()});
  }
  const absl::StatusOr<int> index = FindKnob(knobs, name, value);
  if (!index.ok()) return Annotate(index.status(), artifact.path);
  const Knob& knob = knobs[*index];
  const c10::IValue given = knob.is_integer ? c10::IValue(static_cast<int64_t>(value)) : c10::IValue(value);
  const absl::Status set = CatchTorch([&] { artifact.module->setattr(name, given); });
  if (!set.ok()) return Annotate(set, absl::StrCat(artifact.path, ": the knob ", Brief(name), " of its manifest"));
  if (value != knob.value) ClearUnits(artifact.manifest);
  return absl::OkStatus();
}

absl::StatusOr<LoadedArtifact> Build(const Registry& registry, const ArtifactRequest& request, bool allow_nonfinite) {
  ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request));
  ASSIGN_OR_RETURN(Artifact artifact, BuildArtifact(request, std::move(plan)));
  ASSIGN_OR_RETURN(FormattedArtifact formatted, FormatArtifact(request, std::move(artifact)));
  WeightsAudit audit(request, formatted);
  RETURN_IF_ERROR(formatted.prepared->CheckCanRun());
  RETURN_IF_ERROR(audit.Finish(registry, allow_nonfinite));
  RETURN_IF_ERROR(CheckUnchanged(formatted.artifact.weights));
  const auto kept = std::make_shared<Artifact>(std::move(formatted.artifact));
  return LoadedArtifact{.path = request.entry.variant->name,
                        .module = std::shared_ptr<torch::jit::Module>(kept, kept->built->module.get()),
                        .manifest = std::move(formatted.manifest)};
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
  ASSIGN_OR_RETURN(const ArtifactSignature signature, CheckSignature(path, *copy, public_key, MappedFile::OpenCopy));
  return Load(path, copy, signature, Origin::kKnown);
}

absl::StatusOr<LoadedArtifact> BuildModel(const Registry& registry, const ArtifactRequest& request,
                                          bool allow_nonfinite) {
  absl::StatusOr<LoadedArtifact> built = Build(registry, request, allow_nonfinite);
  if (!built.ok()) return WithPaths(built.status(), request);
  return built;
}

}  // namespace modelport
