// The operators that code can call, the nodes of a graph, which call them, and the lines of code that these come from.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_

#include <functional>
#include <string>
#include <vector>

#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The names of LibTorch's operators in the namespace aten, such as "relu", sorted. Internal operators, whose names
// begin with _, are left out.
const std::vector<std::string>& OperatorNames();

// Whether the runtime that text is compiled for has the operator aten::`name`.
using HasOperator = std::function<bool(const std::string& name)>;

// The HasOperator of the LibTorch that this program is linked to.
bool CompilerHasOperator(const std::string& name);

// Calls `visit(node)` for each node of `block`, a torch::jit::Block, and of the blocks within it (branches and loop
// bodies), in the order of the code: a node comes before the nodes of its blocks. `visit` must not add or remove nodes.
template <typename Block, typename Visit>
void ForEachNode(Block& block, const Visit& visit) {
  for (auto* node : block.nodes()) {
    visit(*node);
    for (auto* inner : node->blocks()) ForEachNode(*inner, visit);
  }
}

// A line of code.
struct SourceLine {
  std::string place;  // "models/layers/vision_transformer.yaml:83"; empty: unknown.
  std::string text;   // What is written there, without indentation, at most 1000 bytes; empty: unknown.
};

// The line where `range` begins: of the author's source file if the archive records it, else of the archive's code. The
// text of traced code is always that of the archive, since tracing records no source text.
SourceLine FindSourceLine(const torch::jit::SourceRange& range);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_
