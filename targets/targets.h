#ifndef MODELPORT_TARGETS_TARGETS_H_
#define MODELPORT_TARGETS_TARGETS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "targets/target/target.h"

namespace modelport {

// Every known target.
absl::Span<const Target* const> Targets();

// InvalidArgument: unknown target "nuk"; nearest: nuke.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_TARGETS_H_
