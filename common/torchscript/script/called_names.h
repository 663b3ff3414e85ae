#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CALLED_NAMES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CALLED_NAMES_H_

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The words in the text of the tree's methods and of the functions that these words name. The free functions that the
// methods call, themselves or through other functions, are among them. The words lie in the tree's library.
absl::flat_hash_set<absl::string_view> CalledNames(const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CALLED_NAMES_H_
