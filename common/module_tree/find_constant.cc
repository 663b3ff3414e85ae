#include "common/module_tree/find_constant.h"

#include "common/text/dotted_path.h"

namespace modelport {
namespace {

const Value* FindBelow(const ModuleNode& node, absl::string_view path) {
  for (const auto& [name, value] : node.constants) {
    if (JoinPath(node.path, name) == path) return &value;
  }
  for (const ModuleNode::Child& child : node.children) {
    if (const Value* const value = FindBelow(*child.node, path)) return value;
  }
  return nullptr;
}

}  // namespace

const Value* FindConstant(const ModuleTree& tree, absl::string_view path) { return FindBelow(tree.root, path); }

}  // namespace modelport
