#ifndef MODELPORT_TOOLS_PARITY_PAGE_PICTURES_H_
#define MODELPORT_TOOLS_PARITY_PAGE_PICTURES_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"

namespace modelport {

// For each result whose last two sides have the proportions of the input's: a figure with the reference's picture, the
// model's and their difference, as PNG in the page itself. Of several images the first is drawn, of several channels
// their mean, and the largest difference. "" if no stage is so.
//   Internal  a picture cannot be drawn
absl::StatusOr<std::string> PicturesHtml(const ReferenceComparison& comparison, const Reference& reference);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PAGE_PICTURES_H_
