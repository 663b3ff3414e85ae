#include "tests/support/test_models.h"

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/wrappers.h"

namespace modelport {

namespace {

void VisitTestModels(absl::FunctionRef<void(const CatalogEntry&)> visit) {
  static const auto* const registry = new absl::StatusOr<Registry>(Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK(*registry);
  for (const CatalogEntry& entry : (*registry)->catalog()) {
    const std::string folder = absl::StrCat("models/", TestFamily());
    const bool is_asked = TestFamily().empty() || absl::StartsWith(entry.plugin->path, folder + "/");
    if (is_asked && absl::EndsWith(entry.plugin->path, "/testdata")) visit(entry);
  }
}

void VisitNukeTestModels(absl::FunctionRef<void(const NukeTestModel&, const Wrapper&)> visit) {
  VisitTestModels([&](const CatalogEntry& entry) {
    const std::vector<const Wrapper*> wrappers = WrappersOf(*entry.plugin, *entry.variant, "nuke");
    for (const Wrapper* wrapper : wrappers) {
      visit({entry.variant->name, wrapper == wrappers.front() ? "" : wrapper->name}, *wrapper);
    }
  });
}

}  // namespace

std::string& TestFamily() {
  static auto* const family = new std::string;
  return *family;
}

std::vector<std::string> TestModels() {
  std::vector<std::string> names;
  VisitTestModels([&](const CatalogEntry& entry) { names.push_back(entry.variant->name); });
  return names;
}

std::vector<std::string> NukeTestModels(absl::string_view type) {
  std::vector<std::string> names;
  VisitNukeTestModels([&](const NukeTestModel& model, const Wrapper& wrapper) {
    if (type.empty() || wrapper.call.type == type) names.push_back(ArtifactName(model.model, model.wrapper));
  });
  return names;
}

std::vector<std::string> NukeImageModels() {
  std::vector<std::string> names;
  VisitNukeTestModels([&](const NukeTestModel& model, const Wrapper& wrapper) {
    const std::string& type = wrapper.call.type;
    const bool is_image = type != "NukeMatte" && type != "NukeMask" && type != "NukeBetween" && type != "NukeFlow" &&
                          type != "NukeUpscale";
    if (is_image) names.push_back(ArtifactName(model.model, model.wrapper));
  });
  return names;
}

NukeTestModel FindNukeTestModel(absl::string_view name) {
  NukeTestModel found;
  VisitNukeTestModels([&](const NukeTestModel& model, const Wrapper&) {
    if (ArtifactName(model.model, model.wrapper) == name) found = model;
  });
  EXPECT_FALSE(found.model.empty()) << name;
  return found;
}

std::vector<std::string> WrapperNames(const CatalogEntry& entry, const Target& target) {
  if (!target.wraps()) return {""};
  std::vector<std::string> names;
  for (const Wrapper* wrapper : WrappersOf(*entry.plugin, *entry.variant, target.wrappers))
    names.push_back(wrapper->name);
  return names;
}

}  // namespace modelport
