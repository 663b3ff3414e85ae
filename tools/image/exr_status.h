#ifndef MODELPORT_TOOLS_IMAGE_EXR_STATUS_H_
#define MODELPORT_TOOLS_IMAGE_EXR_STATUS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace modelport {

// Calls `run`, which calls OpenEXR, and turns its exceptions into DataLoss. Its own status is returned as it is.
absl::Status CatchExr(absl::FunctionRef<absl::Status()> run);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_EXR_STATUS_H_
