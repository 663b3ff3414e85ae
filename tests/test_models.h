#ifndef MODELPORT_TESTS_TEST_MODELS_H_
#define MODELPORT_TESTS_TEST_MODELS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "registry/registry.h"
#include "targets/targets.h"

namespace modelport {

// The variants that exist for tests only, in the plugins of //models:plugins: small ones of every kind of model.
std::vector<std::string> TestModels();

// Those that have a wrapper for Nuke, or only those of this wrapper type.
std::vector<std::string> NukeTestModels(absl::string_view type = "");

// Whether `entry` can be made for `target`: whether the target needs no wrapper or the plugin names one for the root.
bool Supports(const CatalogEntry& entry, const Target& target);

}  // namespace modelport

#endif  // MODELPORT_TESTS_TEST_MODELS_H_
