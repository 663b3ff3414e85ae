#ifndef MODELPORT_TARGETS_TARGETS_H_
#define MODELPORT_TARGETS_TARGETS_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "targets/target/target.h"

namespace modelport {

// Every known target.
absl::Span<const Target* const> Targets();

// InvalidArgument: unknown target "libtorche"; nearest: libtorch.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

// What `text` says of each target, with `separator` between; of those for which it says "" nothing.
std::string JoinTargets(absl::string_view separator, absl::FunctionRef<std::string(const Target&)> text);

// The hosts for which plugins wrap their models, as flags: "--target=HOST or --target=OTHER".
std::string WrappingTargetFlags();

// InvalidArgument: the host has no packages; names those that have some.
absl::Status CheckHasPackages(const Target& target);

// The hosts that have packages, as flags: "--host=VERSION, the oldest Host that has to load the package, such as
// --host=14 or 15.1"; several with "; " between.
std::string PackageFlagHint();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_TARGETS_H_
