// The flags --target and --runtime, and one for each host that has releases.
#ifndef MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_
#define MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/runtime/runtime.h"
#include "targets/target/target.h"
#include "tools/command/flags.h"

namespace modelport {

// The host that a file is for.
struct HostRequest {
  const Target* target = nullptr;
  const Runtime* runtime = nullptr;  // That has to load a TorchScript file; null if the flags ask for none.
  std::string release = {};          // Of the host, as --HOST has it: "15.1"; empty without that flag.
};

// The flags --target, --runtime and, named after its host, --HOST for each host that has releases.
struct HostFlags {
  // Takes a release of `host`.
  struct Release {
    const Target* host;
    Flag<std::string> flag;
  };

  // Adds them to `group`.
  explicit HostFlags(FlagGroup& group);

  // Those that choose a host: all but --runtime.
  FlagGroup ThatChooseHost();

  Flag<std::string> runtime, target;
  std::vector<std::unique_ptr<Release>> releases;
};

// Reads these flags. --HOST=RELEASE means --target=HOST and the LibTorch of that release. Without it and without
// --target the target is libtorch.
//   InvalidArgument  an unknown host, release or LibTorch; or flags that contradict each other
absl::StatusOr<HostRequest> ParseHostRequest(const HostFlags& flags);

// The same for a tool that makes a file for each of several releases: --HOST=RELEASE,RELEASE gives one request each.
absl::StatusOr<std::vector<HostRequest>> ParseHostRequests(const HostFlags& flags);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_HOST_REQUEST_H_
