#ifndef MODELPORT_TARGETS_NUKE_MODEL_ICON_H_
#define MODELPORT_TARGETS_NUKE_MODEL_ICON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// The icon of the artifact `name`, a PNG of the size of `png`, which is the icon of all artifacts of its kind. Across
// its top runs a strip, whose colour follows from the whole name, with two lines of at most six letters: the name's
// first word, and as many of its last as fit: "DAV2" above "VITS" of dav2_metric_vkitti_vits.
//   Internal  libpng does not read `png`
absl::StatusOr<std::string> ModelIcon(absl::string_view png, absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_MODEL_ICON_H_
