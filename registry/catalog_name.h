#ifndef MODELPORT_REGISTRY_CATALOG_NAME_H_
#define MODELPORT_REGISTRY_CATALOG_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Whether `name` can name a family or a variant, which files and folders are named after: a-z, 0-9, _, . and -, at most
// 64 of them, a letter or digit first.
//   InvalidArgument  it cannot; begins with `subject`: variant "../x" is no name: ...
absl::Status CheckCatalogName(absl::string_view subject, absl::string_view name);

// Whether `path` leads from a folder to a file in or below it: parts between slashes, none of them empty, "." or "..".
//   InvalidArgument  it does not
absl::Status CheckFileBelow(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_CATALOG_NAME_H_
