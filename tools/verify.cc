// Verifies an artifact and its manifest.
#include <iostream>

#include "absl/flags/flag.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "pipeline/verify_artifact.h"
#include "registry/registry.h"
#include "tools/load_registry.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, artifact, "", "the .pt file; its manifest lies beside it or in it");
ABSL_FLAG(std::string, checkpoint, "",
          "the checkpoint that it was made from; without it, the origin of the weights is not checked");

namespace modelport {
namespace {

absl::Status Verify() {
  if (absl::GetFlag(FLAGS_artifact).empty()) return absl::InvalidArgumentError("--artifact is missing");
  const std::string checkpoint = absl::GetFlag(FLAGS_checkpoint);
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry());
  ASSIGN_OR_RETURN(const Verification verification,
                   VerifyArtifact(registry, ResolveUserPath(absl::GetFlag(FLAGS_artifact)),
                                  checkpoint.empty() ? "" : ResolveUserPath(checkpoint)));
  const Manifest& manifest = verification.manifest;
  std::cout << Printable(manifest.model()) << " from " << Printable(manifest.source()) << "\n";
  for (const std::string& check : verification.passed) std::cout << "  passed       " << Printable(check) << "\n";
  for (const std::string& check : verification.not_checked) {
    std::cout << "  not checked  " << Printable(check) << "\n";
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            "Verifies an artifact: makes it and its manifest anew and compares every byte and field.",
                            modelport::Verify);
}
