#ifndef MODELPORT_COMMON_STATUS_ANNOTATE_H_
#define MODELPORT_COMMON_STATUS_ANNOTATE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Returns a failed `status` with `context` and ": " in front of its message, and an OK status unchanged. The outermost
// context is the file: "vits.pth: data.pkl: byte 12: ...".
inline absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_STATUS_ANNOTATE_H_
