#include "tools/request/host_request.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_runtime(flags, "runtime", "",
                                "the oldest LibTorch that has to load the file, such as 1.6; by default the newest");

// "libtorch or host; by default host with --host, else libtorch": what --target takes.
std::string TargetHelp() {
  const std::string names = JoinTargets(" or ", [](const Target& target) { return target.name; });
  const std::string defaults = JoinTargets(", ", [](const Target& target) {
    return target.runtime_of != nullptr ? absl::StrCat(target.name, " with --", target.name) : "";
  });
  return absl::StrCat("the host that the file is for: ", names, "; by default ", defaults, ", else libtorch");
}

}  // namespace

Flag<std::string> FLAGS_target(flags, "target", "", TargetHelp());

namespace {

// The flag that takes a release of a host.
struct ReleaseFlag {
  const Target* target;
  Flag<std::string> release;
};

// Those of all hosts, which last as long as the program.
const std::vector<const ReleaseFlag*>& ReleaseFlags() {
  static const auto* const all = [] {
    auto* const found = new std::vector<const ReleaseFlag*>;
    for (const Target* target : Targets()) {
      if (target->runtime_of == nullptr) continue;
      const std::string help =
          absl::StrCat("the oldest ", target->title, " that has to load the file, such as ", target->example_releases,
                       ": means --target=", target->name, " and its LibTorch");
      found->push_back(new ReleaseFlag{target, {flags, target->name, "", help}});
    }
    return found;
  }();
  return *all;
}

// `found`; an error begins with the flag.
template <typename T>
absl::StatusOr<T> OfFlag(absl::string_view flag, absl::string_view value, absl::StatusOr<T> found) {
  if (found.ok()) return found;
  return Annotate(found.status(), absl::StrCat("--", flag, "=", value));
}

absl::StatusOr<HostRequest> OfRelease(const Target& host, const std::string& release, const HostRequest& others) {
  const std::string flag = absl::StrCat("--", host.name, "=", release);
  if (others.target != nullptr && others.target != &host) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag, ": means --target=", host.name, ", and --target=", others.target->name, " is given: give one of them"));
  }
  ASSIGN_OR_RETURN(const std::string name, OfFlag(host.name, release, host.runtime_of(release)));
  ASSIGN_OR_RETURN(const Runtime* const wanted, FindRuntime(name));
  if (others.runtime == nullptr || others.runtime == wanted) return HostRequest{&host, wanted};
  return absl::InvalidArgumentError(absl::StrCat(flag, ": its LibTorch is ", wanted->name, ", and --runtime=",
                                                 others.runtime->name, " is given: give one of them"));
}

}  // namespace

const FlagGroup& HostFlags() {
  ReleaseFlags();
  return flags;
}

std::vector<absl::string_view> HostFlagNames() {
  std::vector<absl::string_view> names = {FLAGS_target.name()};
  for (const ReleaseFlag* flag : ReleaseFlags()) names.push_back(flag->release.name());
  return names;
}

absl::StatusOr<HostRequest> ParseHostRequest() {
  HostRequest request = {nullptr, nullptr};
  if (const std::string runtime = *FLAGS_runtime; !runtime.empty()) {
    ASSIGN_OR_RETURN(request.runtime, OfFlag("runtime", runtime, FindRuntime(runtime)));
  }
  if (const std::string target = *FLAGS_target; !target.empty()) {
    ASSIGN_OR_RETURN(request.target, OfFlag("target", target, FindTarget(target)));
  }
  for (const ReleaseFlag* flag : ReleaseFlags()) {
    if (flag->release->empty()) continue;
    ASSIGN_OR_RETURN(request, OfRelease(*flag->target, *flag->release, request));
  }
  if (request.target == nullptr) {
    ASSIGN_OR_RETURN(request.target, FindTarget("libtorch"));
  }
  return request;
}

}  // namespace modelport
