#include "tools/request/host_request.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// "libtorch or host; by default host with --host, else libtorch": what --target takes.
std::string TargetHelp() {
  const std::string names = JoinTargets(" or ", [](const Target& target) { return target.name; });
  const std::string defaults = JoinTargets(", ", [](const Target& target) {
    return target.runtime_of != nullptr ? absl::StrCat(target.name, " with --", target.name) : "";
  });
  return absl::StrCat("the host that the file is for: ", names, "; by default ", defaults, ", else libtorch");
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
  if (others.runtime == nullptr || others.runtime == wanted) return HostRequest{&host, wanted, release};
  return absl::InvalidArgumentError(absl::StrCat(flag, ": its LibTorch is ", wanted->name, ", and --runtime=",
                                                 others.runtime->name, " is given: give one of them"));
}

}  // namespace

HostFlags::HostFlags(FlagGroup& group)
    : runtime(group, "runtime", "",
              "the oldest LibTorch that has to load the file, such as 1.6; by default the newest"),
      target(group, "target", "", TargetHelp()) {
  for (const Target* const host : Targets()) {
    if (host->runtime_of == nullptr) continue;
    const std::string help = absl::StrCat("the oldest ", host->title, " that has to load the file, such as ",
                                          host->example_releases, ": means --target=", host->name, " and its LibTorch");
    releases.emplace_back(new Release{host, {group, host->name, "", help}});
  }
}

FlagGroup HostFlags::ThatChooseHost() {
  FlagGroup flags = {&target};
  for (const std::unique_ptr<Release>& release : releases) flags.push_back(&release->flag);
  return flags;
}

absl::StatusOr<HostRequest> ParseHostRequest(const HostFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<HostRequest> requests, ParseHostRequests(flags));
  if (requests.size() == 1) return requests.front();
  const std::string& host = requests.front().target->name;
  return absl::InvalidArgumentError(
      absl::StrCat("--", host, ": wants one release here, such as --", host, "=", requests.front().release,
                   ", which is the oldest that has to load the file: newer ones load it, too"));
}

absl::StatusOr<std::vector<HostRequest>> ParseHostRequests(const HostFlags& flags) {
  HostRequest others;
  if (const std::string runtime = *flags.runtime; !runtime.empty()) {
    ASSIGN_OR_RETURN(others.runtime, OfFlag("runtime", runtime, FindRuntime(runtime)));
  }
  if (const std::string target = *flags.target; !target.empty()) {
    ASSIGN_OR_RETURN(others.target, OfFlag("target", target, FindTarget(target)));
  }
  std::vector<HostRequest> requests;
  for (const std::unique_ptr<HostFlags::Release>& release : flags.releases) {
    if (release->flag->empty()) continue;
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesOf(release->flag));
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(HostRequest request, OfRelease(*release->host, name, others));
      for (const HostRequest& other : requests) {
        if (other.target != request.target || other.runtime != request.runtime) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("--", release->flag.name(), "=", *release->flag, ": ", other.release, " and ", name,
                         " have one LibTorch, so that one file is for both; leave out ", name));
      }
      requests.push_back(std::move(request));
    }
    others.target = release->host;
  }
  if (!requests.empty()) return requests;
  if (others.target == nullptr) {
    ASSIGN_OR_RETURN(others.target, FindTarget("libtorch"));
  }
  return std::vector<HostRequest>{others};
}

}  // namespace modelport
