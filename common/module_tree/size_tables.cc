#include "common/module_tree/size_tables.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

// Appends the tables of `node`. `slots` counts the slots up to the end of the node. A module's tables stand behind its
// children, because they are added to it when these are there.
void Append(const ModuleNode& node, size_t& slots, std::vector<SizeTable>& tables) {
  slots += node.parameters.size() + node.buffers.size();
  for (const ModuleNode::Child& child : node.children) Append(*child.node, slots, tables);
  if (node.is_list()) return;
  for (const std::string& method : node.type->size_tables) tables.push_back({node.path, method, slots});
}

}  // namespace

std::string TableName(const std::string& method) { return absl::StrCat(method, "_table"); }

std::string SizeTable::Path() const { return JoinPath(module, TableName(method)); }

std::vector<SizeTable> SizeTables(const ModuleTree& tree) {
  std::vector<SizeTable> tables;
  size_t slots = 0;
  Append(tree.root, slots, tables);
  return tables;
}

std::vector<std::string> TensorNames(const ModuleTree& tree, const std::vector<SizeTable>& tables) {
  std::vector<std::string> names(tree.slots.size() + tables.size());
  for (size_t i = 0; i < tree.slots.size(); ++i) names[TensorIndex(i, tables)] = tree.slots[i].name;
  for (size_t i = 0; i < tables.size(); ++i) names[tables[i].slots_before + i] = tables[i].Path();
  return names;
}

size_t TensorIndex(size_t slot, const std::vector<SizeTable>& tables) {
  return slot + std::count_if(tables.begin(), tables.end(),
                              [&](const SizeTable& table) { return table.slots_before <= slot; });
}

}  // namespace modelport
