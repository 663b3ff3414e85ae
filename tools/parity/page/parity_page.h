#ifndef MODELPORT_TOOLS_PARITY_PAGE_PARITY_PAGE_H_
#define MODELPORT_TOOLS_PARITY_PAGE_PARITY_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/torchscript/parity/reference.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {

// A page for a browser, which loads nothing: what differs, the difference of each stage as a curve and in a tree of
// the modules, and for stages in the shape of `reference`'s input the pictures of both sides and of their difference.
// `report` is of a comparison with CompareOptions::keep_tensors.
//   Internal  a picture cannot be drawn
absl::StatusOr<std::string> ParityPage(const ParityReport& report, const Reference& reference);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PAGE_PARITY_PAGE_H_
