#include "tools/request/host_request.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_runtime(flags, "runtime", "",
                                "the oldest LibTorch that has to load the file, such as 1.6; by default the newest");
Flag<std::string> FLAGS_nuke(
    flags, "nuke", "",
    "the oldest Nuke that has to load the file, such as 14 or 15.1: means --target=nuke and its LibTorch");

}  // namespace

Flag<std::string> FLAGS_target(
    flags, "target", "", "the host that the file is for: libtorch or nuke; by default nuke with --nuke, else libtorch");

namespace {

// `found`; an error begins with the flag.
template <typename T>
absl::StatusOr<T> OfFlag(absl::string_view flag, absl::string_view value, absl::StatusOr<T> found) {
  if (found.ok()) return found;
  return Annotate(found.status(), absl::StrCat("--", flag, "=", value));
}

absl::StatusOr<HostRequest> OfNuke(const std::string& nuke, const std::string& target, const Runtime* runtime) {
  if (!target.empty() && target != "nuke") {
    return absl::InvalidArgumentError(
        absl::StrCat("--nuke=", nuke, ": means --target=nuke, and --target=", target, " is given: give one of them"));
  }
  ASSIGN_OR_RETURN(const Target* const host, FindTarget("nuke"));
  ASSIGN_OR_RETURN(const std::string name, OfFlag("nuke", nuke, host->runtime_of(nuke)));
  ASSIGN_OR_RETURN(const Runtime* const wanted, FindRuntime(name));
  if (runtime == nullptr || runtime == wanted) return HostRequest{host, wanted};
  return absl::InvalidArgumentError(absl::StrCat("--nuke=", nuke, ": its LibTorch is ", wanted->name,
                                                 ", and --runtime=", runtime->name, " is given: give one of them"));
}

}  // namespace

const FlagGroup& HostFlags() { return flags; }

absl::StatusOr<HostRequest> ParseHostRequest() {
  const std::string target = *FLAGS_target, nuke = *FLAGS_nuke;
  HostRequest request = {nullptr, nullptr};
  if (const std::string runtime = *FLAGS_runtime; !runtime.empty()) {
    ASSIGN_OR_RETURN(request.runtime, OfFlag("runtime", runtime, FindRuntime(runtime)));
  }
  if (!nuke.empty()) return OfNuke(nuke, target, request.runtime);
  ASSIGN_OR_RETURN(request.target, OfFlag("target", target, FindTarget(target.empty() ? "libtorch" : target)));
  return request;
}

}  // namespace modelport
