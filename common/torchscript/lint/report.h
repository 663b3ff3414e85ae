#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_REPORT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_REPORT_H_

#include <string>
#include <vector>

#include "common/torchscript/lint/finding.h"

namespace modelport {

// The findings as text for the user, one paragraph each:
//
//   half, 24 modules: blocks.0.attn, blocks.1.attn, ...
//     vit.py:12: x = self.qkv(x.float())
//     aten::to is given the dtype float32; aten::linear at linear.py:8 refuses it together with ...
//     cure: take the dtype of a tensor, x.dtype, or ...
//
// Text from the file is made Printable, and long lines are cut.
std::string FormatFindings(const std::vector<Finding>& findings);

// "3 findings".
std::string CountFindings(const std::vector<Finding>& findings);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_REPORT_H_
