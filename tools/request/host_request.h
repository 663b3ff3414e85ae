// The flags --target, --runtime and --nuke.
#ifndef MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_
#define MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_

#include "absl/status/statusor.h"
#include "common/torchscript/runtime/runtime.h"
#include "targets/target/target.h"
#include "tools/command/flags.h"

namespace modelport {

// The host that a TorchScript file is for.
struct HostRequest {
  const Target* target;
  const Runtime* runtime;  // That has to load the file; null if the flags ask for none.
};

// The flags --target, --runtime and --nuke.
const FlagGroup& HostFlags();

// For a tool that takes it in another way (FlagWithHelp).
extern Flag<std::string> FLAGS_target;

// Reads these flags. --nuke=15.1 means --target=nuke and the LibTorch of
// Nuke 15.1. Without --target and --nuke the target is libtorch.
//   InvalidArgument  an unknown host, release or LibTorch; or --nuke contradicts one of the others
absl::StatusOr<HostRequest> ParseHostRequest();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_
