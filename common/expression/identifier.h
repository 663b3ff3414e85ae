#ifndef MODELPORT_COMMON_EXPRESSION_IDENTIFIER_H_
#define MODELPORT_COMMON_EXPRESSION_IDENTIFIER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Whether `name` can be the name of a module type, a member or a method in TorchScript text: letters, digits and _, at
// most 64 of them; it begins with neither a digit nor two _ and is not a Python keyword.
//   InvalidArgument  says which of these rules `name` breaks
absl::Status CheckIdentifier(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_EXPRESSION_IDENTIFIER_H_
