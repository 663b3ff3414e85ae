#ifndef MODELPORT_REGISTRY_LINK_KEY_MAP_H_
#define MODELPORT_REGISTRY_LINK_KEY_MAP_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/yaml/document.h"
#include "registry/plugin.h"

namespace modelport {

// The plugin of a family of `uses`, which is linked; null if it has a problem, which was reported.
using FindLinkedPlugin = absl::FunctionRef<const Plugin*(const std::string& family)>;

// Parses `file` as the key map of `plugin` and gives its parts and layouts the rules of the families that they name.
// The digest is that of the text and of the key maps so used.
//   InvalidArgument  every problem of the file; a family that is not in `uses`, a layout that it does not have, two
//                    inclusions for one slot
absl::Status LinkKeyMap(const YamlFile& file, FindLinkedPlugin find, Plugin* plugin);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_LINK_KEY_MAP_H_
