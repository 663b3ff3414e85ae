#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_ENTRY_POINT_ERROR_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_ENTRY_POINT_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/entry_point.h"

namespace modelport {

// InvalidArgument: what the plugin says of `entry_point` at `place`, "modules.yaml:41:5", is not so.
inline absl::Status EntryPointError(absl::string_view place, const EntryPoint& entry_point, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": entry point ", entry_point.method, ": ", message));
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_ENTRY_POINT_ERROR_H_
