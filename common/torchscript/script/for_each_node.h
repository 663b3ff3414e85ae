#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_FOR_EACH_NODE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_FOR_EACH_NODE_H_

namespace modelport {

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

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_FOR_EACH_NODE_H_
