#include "common/status/annotate.h"

#include "absl/strings/str_cat.h"

namespace modelport {

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace modelport
