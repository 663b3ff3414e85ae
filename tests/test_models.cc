#include "tests/test_models.h"

#include <algorithm>

#include "absl/functional/function_ref.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"

namespace modelport {

namespace {

// Null for a target that takes models as they are, or if the plugin names none for the root.
const Wrapper* FindWrapper(const CatalogEntry& entry, absl::string_view target) {
  const std::vector<Wrapper>& wrappers = entry.plugin->wrappers;
  const auto found = std::find_if(wrappers.begin(), wrappers.end(), [&](const Wrapper& wrapper) {
    return wrapper.target == target && wrapper.root == entry.variant->module.type;
  });
  return found == wrappers.end() ? nullptr : &*found;
}

// Those that `takes` is true of.
std::vector<std::string> TestModelsThat(absl::FunctionRef<bool(const CatalogEntry&)> takes) {
  const absl::StatusOr<Registry> registry = Registry::Load(EmbeddedPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  std::vector<std::string> names;
  for (const CatalogEntry& entry : registry->catalog()) {
    if (!entry.plugin->extends.empty() && takes(entry)) names.push_back(entry.variant->name);
  }
  return names;
}

}  // namespace

std::vector<std::string> TestModels() {
  return TestModelsThat([](const CatalogEntry&) { return true; });
}

std::vector<std::string> NukeTestModels(absl::string_view type) {
  return TestModelsThat([&](const CatalogEntry& entry) {
    const Wrapper* const wrapper = FindWrapper(entry, "nuke");
    return wrapper != nullptr && (type.empty() || wrapper->call.type == type);
  });
}

bool Supports(const CatalogEntry& entry, const Target& target) {
  return !target.wraps || FindWrapper(entry, target.name) != nullptr;
}

}  // namespace modelport
