// The tables of a model that depend on the size of the image alone.
#ifndef MODELPORT_COMMON_MODULE_TREE_SIZE_TABLES_H_
#define MODELPORT_COMMON_MODULE_TREE_SIZE_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "common/module_tree/module_tree.h"

namespace modelport {

// The buffer that holds the table of `method` in an artifact for one size: "pos_encoding_table".
std::string TableName(const std::string& method);

// A method of a module that `size_tables` lists in the module's type.
struct SizeTable {
  std::string module;  // Its path: "pretrained".
  std::string method;
  size_t slots_before;  // An artifact for one size holds the table's tensor behind so many of the tree's.

  std::string Path() const;  // Of the table: "pretrained.pos_encoding_table".
};

// All of `tree`, in the order of an artifact's tensors.
std::vector<SizeTable> SizeTables(const ModuleTree& tree);

// The names of all tensors of an artifact that has `tables` of `tree`, in their order.
std::vector<std::string> TensorNames(const ModuleTree& tree, const std::vector<SizeTable>& tables);

// The place of the tree's slot `slot` among these.
size_t TensorIndex(size_t slot, const std::vector<SizeTable>& tables);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_SIZE_TABLES_H_
