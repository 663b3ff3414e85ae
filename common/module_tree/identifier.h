#ifndef MODELPORT_COMMON_MODULE_TREE_IDENTIFIER_H_
#define MODELPORT_COMMON_MODULE_TREE_IDENTIFIER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Whether `name` can stand in TorchScript text as the name of a module type, a member or a method: letters, digits
// and _, at most 64 of them, no digit first, not two _ first, and no word of the language.
//   InvalidArgument  says which of this it is not
absl::Status CheckIdentifier(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_IDENTIFIER_H_
