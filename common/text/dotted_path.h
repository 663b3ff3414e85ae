#ifndef MODELPORT_COMMON_TEXT_DOTTED_PATH_H_
#define MODELPORT_COMMON_TEXT_DOTTED_PATH_H_

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace modelport {

// "blocks.0" of the parent "blocks" and the name "0"; the name alone if the parent is "", the root.
inline std::string JoinPath(absl::string_view parent, absl::string_view name) {
  return parent.empty() ? std::string(name) : absl::StrCat(parent, ".", name);
}

// Whether `path` is `parent` or lies below it. All paths lie below "", the root.
inline bool IsWithin(absl::string_view path, absl::string_view parent) {
  if (parent.empty() || path == parent) return true;
  return absl::StartsWith(path, parent) && path[parent.size()] == '.';
}

// The rest of `path`, which lies within `parent`: "norm.eps" of "blocks.0.norm.eps" below "blocks.0", "" of `parent`
// itself.
inline absl::string_view PathBelow(absl::string_view path, absl::string_view parent) {
  if (parent.empty()) return path;
  return path.substr(path == parent ? parent.size() : parent.size() + 1);
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_DOTTED_PATH_H_
