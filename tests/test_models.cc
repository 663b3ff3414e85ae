#include "tests/test_models.h"

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"

namespace modelport {

std::vector<std::string> TestModels() {
  const absl::StatusOr<Registry> registry = Registry::Load(EmbeddedPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  std::vector<std::string> names;
  for (const CatalogEntry& entry : registry->catalog()) {
    if (!entry.plugin->extends.empty()) names.push_back(entry.variant->name);
  }
  return names;
}

}  // namespace modelport
