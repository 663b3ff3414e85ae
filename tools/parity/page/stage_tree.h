#ifndef MODELPORT_TOOLS_PARITY_PAGE_STAGE_TREE_H_
#define MODELPORT_TOOLS_PARITY_PAGE_STAGE_TREE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/torchscript/parity/compare_reference.h"

namespace modelport {

// The modules as a tree to fold, each with the rows of its stages. The modules around `open`, a path, and itself are
// unfolded.
std::string StageTreeHtml(const std::vector<ComparedTensor>& tensors, absl::string_view open);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PAGE_STAGE_TREE_H_
