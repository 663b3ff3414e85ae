#ifndef MODELPORT_REGISTRY_RECOGNISE_KNOWN_LAYOUT_H_
#define MODELPORT_REGISTRY_RECOGNISE_KNOWN_LAYOUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "registry/registry.h"

namespace modelport {

// InvalidArgument: `layout`, the value of the flag `flag`, is neither auto nor a layout of any family.
absl::Status CheckKnownLayout(const Registry& registry, absl::string_view flag, const std::string& layout);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_KNOWN_LAYOUT_H_
