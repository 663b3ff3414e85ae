#include "tests/test_models.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"

namespace modelport {

namespace {

std::vector<std::string> TestModelsFor(absl::string_view target) {
  const absl::StatusOr<Registry> registry = Registry::Load(EmbeddedPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  std::vector<std::string> names;
  for (const CatalogEntry& entry : registry->catalog()) {
    if (!entry.plugin->extends.empty() && Supports(entry, **FindTarget(target))) names.push_back(entry.variant->name);
  }
  return names;
}

}  // namespace

std::vector<std::string> TestModels() { return TestModelsFor("libtorch"); }

std::vector<std::string> NukeTestModels() { return TestModelsFor("nuke"); }

bool Supports(const CatalogEntry& entry, const Target& target) {
  const std::vector<Wrapper>& wrappers = entry.plugin->wrappers;
  return !target.wraps || std::any_of(wrappers.begin(), wrappers.end(), [&](const Wrapper& wrapper) {
    return wrapper.target == target.name && wrapper.root == entry.variant->module.type;
  });
}

}  // namespace modelport
