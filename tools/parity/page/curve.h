#ifndef MODELPORT_TOOLS_PARITY_PAGE_CURVE_H_
#define MODELPORT_TOOLS_PARITY_PAGE_CURVE_H_

#include <string>
#include <vector>

#include "common/torchscript/parity/compare_reference.h"

namespace modelport {

// The id of the row of tensors[i] in the page.
std::string RowId(size_t i);

// SVG and its labels: for each result, in the order of execution, its largest difference as a part of its largest
// element, on a logarithmic scale, and what it may be. A point links to the row of its stage.
std::string CurveHtml(const std::vector<ComparedTensor>& tensors);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PAGE_CURVE_H_
