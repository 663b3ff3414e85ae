#ifndef MODELPORT_COMMON_TEXT_DOTTED_PATH_H_
#define MODELPORT_COMMON_TEXT_DOTTED_PATH_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace modelport {

// "blocks.0" of the parent "blocks" and the name "0"; the name alone if the parent is "", the root.
inline std::string JoinPath(absl::string_view parent, absl::string_view name) {
  return parent.empty() ? std::string(name) : absl::StrCat(parent, ".", name);
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_DOTTED_PATH_H_
