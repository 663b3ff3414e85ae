// Every root states its entry points.
#include <string>

#include "artifact/build/target_tree.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

TEST(EntryPointsTest, EveryRootStatesThem) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const std::string& model : TestModels()) {
    const absl::StatusOr<CatalogEntry> entry = registry.Find(model);
    ASSERT_OK(entry);
    for (const char* target : {"libtorch", "nuke"}) {
      for (const std::string& wrapper : WrapperNames(*entry, **FindTarget(target))) {
        const auto tree = BuildTargetTree({.entry = *entry, .target = *FindTarget(target), .wrapper = wrapper});
        ASSERT_OK(tree);
        EXPECT_NE(FindEntryPoint(tree->whole->entry_points, "forward"), nullptr) << model << " for " << target;
      }
    }
  }
}

}  // namespace
}  // namespace modelport
