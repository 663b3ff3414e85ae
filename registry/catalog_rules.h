// What the catalog asks of the names and the sizes of its entries.
#ifndef MODELPORT_REGISTRY_CATALOG_RULES_H_
#define MODELPORT_REGISTRY_CATALOG_RULES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Whether the artifact of `tree` has more than 500 MB of weights. The BUILD file of its plugin lists such variants as
// large: caches do not store their artifacts, and //models:catalog leaves them out.
bool IsLarge(const ModuleTree& tree);

// Whether `name` is a valid name of a family or a variant, which becomes the name of files and folders: a-z, 0-9, _, .
// and -, at most 64 of them, a letter or digit first.
//   InvalidArgument  it is not; begins with `subject`: variant "../x" is not a valid name: ...
absl::Status CheckCatalogName(absl::string_view subject, absl::string_view name);

// Whether `path`, taken from a folder, leads to a file in or below it: no part between slashes is empty, "." or "..".
//   InvalidArgument  it does not
absl::Status CheckFileBelow(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_CATALOG_RULES_H_
