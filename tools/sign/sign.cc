// Signs an artifact and its manifest.
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "artifact/signature/artifact_signature.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/terminal.h"
#include "tools/command/user_path.h"
#include "tools/request/given_files.h"

namespace modelport {
namespace {

struct SignFlags {
  FlagGroup group;
  Flag<std::string> artifact{group, "artifact", "",
                             "the .pt file, which may also be given beside the flags; its manifest lies beside it"};
  Flag<std::string> key{group, "key", "",
                        "the private key on the curve P-256, in PEM and not encrypted: openssl genpkey -algorithm EC "
                        "-pkeyopt ec_paramgen_curve:P-256 -out PRIVATE.pem"};
};

absl::Status Sign(const SignFlags& flags, const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(const std::string artifact, ArtifactPath(*flags.artifact, paths));
  if (flags.key->empty()) {
    return absl::InvalidArgumentError(
        "--key is missing: the private key in PEM\n  make one with: openssl genpkey -algorithm EC -pkeyopt "
        "ec_paramgen_curve:P-256 -out PRIVATE.pem");
  }
  ASSIGN_OR_RETURN(const WrittenSignature signature, SignArtifact(artifact, ResolveUserPath(*flags.key)));
  Table table;
  table.AddRow({"signature", signature.path});
  table.AddRow({"artifact", "sha256:" + signature.artifact_sha256});
  table.AddRow({"key", "sha256:" + signature.key_id});
  std::cout << FitStdout(table);
  return absl::OkStatus();
}

}  // namespace

Command SignCommand() {
  return {
      .name = "sign",
      .summary = "Signs an artifact and its manifest with a key, in the format of model_signing.",
      .arguments = "FILE.pt",
      .begin = TakesFiles<SignFlags>(Sign),
  };
}

}  // namespace modelport
