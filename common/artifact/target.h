// Targets: the hosts that artifacts are made for.
#ifndef MODELPORT_COMMON_ARTIFACT_TARGET_H_
#define MODELPORT_COMMON_ARTIFACT_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/expression.h"

namespace modelport {

struct Target {
  std::string name;  // "nuke"
  // Whether the plugin wraps the model for this host. Of a wrapped one only `forward` and what it calls are kept.
  bool wraps = false;
  // Name of the newest LibTorch that a release of this host has; empty: any.
  std::string newest_runtime;
  // Calls that the round trip of a wrapped model compares; those of any other are the plugin's.
  std::vector<Call> examples;
};

// Every known target.
const std::vector<Target>& Targets();

// InvalidArgument: unknown target "nuk"; nearest: nuke.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_TARGET_H_
