#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_NESTING_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_NESTING_H_

#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>

namespace modelport {

// The most levels of nesting in TorchScript text: blocks and elifs around a statement, plus brackets and chained
// operations within it. LibTorch's parser and compiler recurse at each level, and some thousand levels exhaust the
// stack.
inline constexpr int kMaxNesting = 200;

// Throws LibTorch's ErrorReport, as its parser does, at the first place of `source` that nests deeper. Does not
// recurse.
void CheckNesting(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_NESTING_H_
