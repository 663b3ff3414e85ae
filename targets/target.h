// Targets: the hosts that artifacts are made for. Each is a folder here.
#ifndef MODELPORT_TARGETS_TARGET_H_
#define MODELPORT_TARGETS_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/lint/host_rule.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/expression.h"
#include "common/tensor/dtype.h"
#include "targets/package_file.h"

namespace modelport {

// A host. What is left empty or null asks for nothing.
struct Target {
  std::string name;  // "nuke"
  // Whether the plugin wraps the model for this host. Of a wrapped one only `forward` and what it calls are kept.
  bool wraps = false;
  // Name of the newest LibTorch that a release of this host has; empty: any.
  std::string newest_runtime = "";
  // Calls that the round trip of a wrapped model compares; those of any other are the plugin's.
  std::vector<Call> examples = {};
  // The dtypes that the host computes in.
  std::vector<DType> dtypes = {};
  // What the host wants of a module beyond what every host wants.
  absl::Span<const HostRule> rules = {};
  // Whether the host can use the proven artifact that the manifest describes.
  //   FailedPrecondition  it cannot
  absl::Status (*check)(const Manifest& manifest) = nullptr;
  // The files that stand beside that artifact in a folder for the host, for an artifact that `check` passes. Equal
  // manifests give equal files.
  absl::StatusOr<std::vector<PackageFile>> (*package)(const Manifest& manifest) = nullptr;
};

}  // namespace modelport

#endif  // MODELPORT_TARGETS_TARGET_H_
