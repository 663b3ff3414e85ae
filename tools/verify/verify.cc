// Verifies an artifact and its manifest.
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/verify/verify_artifact.h"
#include "common/manifest/describe_manifest.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/compare_reference.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/report.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/request/given_files.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct VerifyFlags {
  VerifyFlags() {
    tolerance.OnlyWith({&reference});
    reference.NotWith({&at_least}, "a reference is compared with what the code computes");
  }

  FlagGroup group;
  Flag<std::string> artifact{
      group, "artifact", "",
      "the .pt or .onnx file, which may also be given beside the flags; its manifest lies beside it or in it"};
  Flag<std::string> checkpoint{group, "checkpoint", "",
                               "the checkpoint that it was made from, or several with commas between; without it, the "
                               "origin of the weights is not checked"};
  Flag<std::string> key{group, "key", "",
                        "the public key in PEM of whoever signed the artifact: first its signature, which lies beside "
                        "it, is checked; without it, a signature is not checked"};
  Flag<std::string> reference{group, "reference", "",
                              absl::StrCat("a safetensors file of stored inputs and outputs, which the artifact must "
                                           "reproduce; ",
                                           PagePlace("plugins.md"), " describes it")};
  Flag<absl::optional<double>> tolerance{
      group, "tolerance", absl::nullopt,
      "how far outputs may be from the reference's, as a part of each tensor's largest element; by default it follows "
      "from the rounding of the model, measured in float64"};
  Flag<std::string> at_least{
      group, "at_least", "code",
      "what has to be verified of an artifact that another release or another text of its plugin made, which cannot be "
      "made anew: file (it is the one that its manifest and its signature are about) or weights (its tensors are the "
      "checkpoint's, too); code: such an artifact is refused"};
  RegistryFlags registry{group};
  Report report{group};
};

absl::StatusOr<Tier> ParseTier(const std::string& name) {
  if (name == "file") return Tier::kFile;
  if (name == "weights") return Tier::kWeights;
  if (name == "code") return Tier::kCode;
  return absl::InvalidArgumentError(absl::StrCat("--at_least=", name, ": wants file, weights or code"));
}

// The flags --reference and --tolerance.
absl::StatusOr<absl::optional<ReferenceFile>> ParseReference(const VerifyFlags& flags) {
  const std::string path = *flags.reference;
  const absl::optional<double> tolerance = *flags.tolerance;
  if (path.empty()) return absl::nullopt;
  if (tolerance && !(std::isfinite(*tolerance) && *tolerance >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("--tolerance=", *tolerance, ": wants a number from 0"));
  }
  return ReferenceFile{ResolveUserPath(path), tolerance};
}

// Fails if a tensor of the reference did not pass.
absl::Status CheckReference(const std::string& path, const ReferenceComparison& comparison) {
  std::vector<std::string> failed;
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (!tensor.passed()) failed.push_back(tensor.name);
  }
  if (failed.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": ", failed.size(), " of ", comparison.tensors.size(),
      " tensors are not what the artifact computes: ", FirstFew(failed),
      "\n  the artifact equals its plugin's text; compare the text, the variant's arguments and the weights "
      "with those that the reference was made from"));
}

void PrintCheck(absl::string_view verdict, const std::string& check) {
  std::cout << absl::StreamFormat("  %-11s  %s\n", verdict, Printable(check));
}

std::string TierText(Tier tier) {
  switch (tier) {
    case Tier::kFile:
      return "file, the first of three: it is the one that its manifest is about";
    case Tier::kWeights:
      return "weights, the second of three: its tensors are those of their source, too";
    case Tier::kCode:
      return "code, the last of three: this release makes the same file";
  }
  return "";
}

std::string Describe(const ComparedTensor& tensor) {
  return absl::StrCat("reference ", tensor.name, " ", ShapeString(tensor.shape),
                      tensor.own_shape.empty() ? "" : absl::StrCat(" as ", ShapeString(tensor.own_shape)), ": ",
                      tensor.obstacle.empty()
                          ? absl::StrFormat("max diff %.3g, tolerance %.3g", tensor.measures.max_abs, tensor.tolerance)
                          : tensor.obstacle);
}

// Prints the model and its source, then a line for each check, passed, failed or not made.
void Print(const Verification& verification) {
  const Manifest& manifest = verification.manifest;
  std::cout << Printable(manifest.request().model()) << " from " << Printable(WeightsSourceText(manifest)) << "\n";
  PrintCheck("reached", TierText(verification.reached));
  for (const std::string& check : verification.passed) PrintCheck("passed", check);
  for (const std::string& check : verification.not_checked) PrintCheck("not checked", check);
  if (!verification.reference) return;
  for (const ComparedTensor& tensor : verification.reference->tensors) {
    PrintCheck(tensor.passed() ? "passed" : "failed", Describe(tensor));
  }
  const ReferenceComparison& reference = *verification.reference;
  for (const auto& [names, what] : {std::pair(&reference.unexpected, "outputs that the reference lacks"),
                                    std::pair(&reference.not_computed, "stages that the artifact does not pass"),
                                    std::pair(&reference.other_calls, "stages that it calls more or less often")}) {
    if (!names->empty()) PrintCheck("not checked", absl::StrCat(what, ": ", FirstFew(*names)));
  }
  std::vector<std::string> other_forms;
  for (const auto& [name, form] : reference.other_forms) other_forms.push_back(name);
  if (!other_forms.empty()) {
    PrintCheck("not checked", absl::StrCat("stages of another form: ", FirstFew(other_forms)));
  }
}

std::string TierName(Tier tier) { return tier == Tier::kFile ? "file" : tier == Tier::kWeights ? "weights" : "code"; }

void AddToReport(const Verification& verification, nlohmann::ordered_json& report) {
  report["model"] = verification.manifest.request().model();
  report["reached"] = TierName(verification.reached);
  report["passed"] = verification.passed;
  report["not_checked"] = verification.not_checked;
  if (!verification.reference) return;
  for (const ComparedTensor& tensor : verification.reference->tensors) {
    report["reference"].push_back({{"tensor", tensor.name},
                                   {"passed", tensor.passed()},
                                   {"max_abs", tensor.measures.max_abs},
                                   {"tolerance", tensor.tolerance},
                                   {"obstacle", tensor.obstacle}});
  }
}

absl::Status Verify(VerifyFlags& flags, const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(const std::string artifact, ArtifactPath(*flags.artifact, paths));
  ASSIGN_OR_RETURN(const absl::optional<ReferenceFile> reference, ParseReference(flags));
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  ASSIGN_OR_RETURN(const Tier at_least, ParseTier(*flags.at_least));
  const std::string key = flags.key->empty() ? "" : ResolveUserPath(*flags.key);
  ASSIGN_OR_RETURN(const Verification verification,
                   VerifyArtifact(registry, artifact, ResolveUserPaths(*flags.checkpoint), reference, key, at_least));
  flags.report.is_wanted() ? AddToReport(verification, flags.report.fields()) : Print(verification);
  return reference ? CheckReference(reference->path, *verification.reference) : absl::OkStatus();
}

}  // namespace

Command VerifyCommand() {
  return {
      .name = "verify",
      .summary = "Verifies an artifact: makes it and its manifest anew and compares every byte and field.",
      .arguments = "FILE",
      .begin = TakesFiles<VerifyFlags>(Verify),
  };
}

}  // namespace modelport
