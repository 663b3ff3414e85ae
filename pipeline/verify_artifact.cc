#include "pipeline/verify_artifact.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/artifact/archive_format.h"
#include "common/artifact/manifest.h"
#include "common/artifact/operators.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/runtime.h"
#include "common/artifact/runtime_obstacles.h"
#include "common/artifact/target.h"
#include "common/io/mapped_file.h"
#include "common/io/sha256.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/weights/audit.h"
#include "common/weights/bind_tensors.h"
#include "pipeline/target_module.h"
#include "pipeline/weight_source.h"
#include "registry/target_tree.h"

namespace modelport {
namespace {

absl::StatusOr<Manifest> ReadManifest(const std::string& artifact) {
  const std::string path = ManifestPath(artifact);
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return ParseManifest(file->bytes(), path);
}

absl::Status CheckBytes(const std::string& artifact, const Manifest& manifest) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(artifact));
  Sha256 sha256;
  sha256.Update(file->bytes());
  const std::string digest = sha256.HexDigest();
  if (digest == manifest.artifact().sha256()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(artifact, ": is not the file that its manifest describes: wants sha256 ",
                                          manifest.artifact().sha256(), ", has ", digest, "; export it again"));
}

absl::Status CheckMethods(const std::string& artifact, const Manifest& manifest, const torch::jit::Module& module) {
  const std::vector<std::string> methods = MethodSchemas(module);
  if (std::equal(methods.begin(), methods.end(), manifest.methods().begin(), manifest.methods().end())) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(artifact, ": its methods are not those of its manifest"));
}

absl::Status CheckMinimumRuntime(const std::string& artifact, const Manifest& manifest,
                                 const torch::jit::Module& module) {
  ASSIGN_OR_RETURN(const ArchiveFormat format, ReadArchiveFormat(artifact));
  const std::string minimum = MinimumRuntime(format, CollectOperators(module));
  if (minimum == manifest.minimum_runtime()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(artifact, ": the oldest LibTorch that can load it is ", minimum,
                                          ", not the manifest's ", manifest.minimum_runtime()));
}

// Builds the module that `manifest` describes from its weights and compares.
absl::StatusOr<RoundTrip> CompareWithSource(const Registry& registry, const Manifest& manifest,
                                            const std::string& checkpoint, const torch::jit::Module& module) {
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(manifest.model()));
  ASSIGN_OR_RETURN(const Target* target, FindTarget(manifest.target()));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildTargetTree(*entry.plugin, *entry.variant, *target));
  const absl::optional<DType> dtype = ParseDType(manifest.dtype());
  if (!dtype) return absl::InvalidArgumentError(absl::StrCat("the manifest names an unknown dtype ", manifest.dtype()));
  uint64_t seed = 0;
  absl::string_view source = manifest.source();
  if (absl::ConsumePrefix(&source, "seeded:v1:") && !absl::SimpleAtoi(source, &seed)) {
    return absl::InvalidArgumentError(absl::StrCat("the manifest names a malformed source ", manifest.source()));
  }
  const Runtime* runtime = nullptr;
  if (!manifest.runtime().empty()) {
    ASSIGN_OR_RETURN(runtime, FindRuntime(manifest.runtime()));
  }
  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, checkpoint, seed, {"auto", manifest.state_dict()}));
  RETURN_IF_ERROR(AuditStorages(weights.checkpoint, weights.plan));
  ASSIGN_OR_RETURN(const BoundTensors bound, BindTensors(weights.checkpoint, weights.plan, weights.tree, *dtype));
  ASSIGN_OR_RETURN(const torch::jit::Module expected, BuildTargetModule(tree, bound.tensors, *target, runtime));
  const std::vector<Call>& examples = TargetExamples(entry, *target);
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> expected_outputs, RunExamples(expected, examples));
  return CompareModules(expected, module, examples, expected_outputs);
}

}  // namespace

absl::StatusOr<Verification> VerifyArtifact(const Registry& registry, const std::string& artifact,
                                            const std::string& checkpoint) {
  Verification result;
  ASSIGN_OR_RETURN(result.manifest, ReadManifest(artifact));
  const Manifest& manifest = result.manifest;
  RETURN_IF_ERROR(CheckBytes(artifact, manifest));
  result.passed.push_back("sha256 as in the manifest");
  ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(artifact));
  RETURN_IF_ERROR(CheckMethods(artifact, manifest, module));
  result.passed.push_back(absl::StrCat("loads; ", manifest.methods_size(), " methods as in the manifest"));
  RETURN_IF_ERROR(CheckMinimumRuntime(artifact, manifest, module));
  result.passed.push_back(absl::StrCat("runs in LibTorch ", manifest.minimum_runtime(), " and newer"));

  const bool is_seeded = absl::StartsWith(manifest.source(), "seeded:");
  if (checkpoint.empty() && !is_seeded) {
    result.not_checked.push_back("weights and outputs: give the checkpoint it was made from with --checkpoint");
    return result;
  }
  const auto compared = CompareWithSource(registry, manifest, checkpoint, module);
  if (!compared.ok()) return Annotate(compared.status(), artifact);
  result.passed.push_back(absl::StrCat(compared->tensors, " tensors bitwise equal to those of ",
                                       checkpoint.empty() ? manifest.source() : checkpoint));
  for (const RoundTrip::Output& output : compared->outputs) {
    result.passed.push_back(absl::StrCat(output.call, ": max diff ", output.max_abs,
                                         output.equal_on_same_memory ? ", none on the same memory" : ""));
  }
  return result;
}

}  // namespace modelport
