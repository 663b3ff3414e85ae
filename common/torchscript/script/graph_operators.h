// The operators that code can call, and the nodes of a graph, which call them.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_

#include <functional>
#include <string>
#include <vector>

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_GRAPH_OPERATORS_H_
