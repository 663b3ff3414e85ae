#include "tests/support/test_models.h"

#include <algorithm>

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

void VisitNukeTestModels(absl::FunctionRef<void(const NukeTestModel&, const ModuleType& wrapper)> visit) {
  VisitTestModels([&](const CatalogEntry& entry) {
    const std::vector<const Wrapper*> wrappers = WrappersOf(*entry.plugin, *entry.variant, "nuke");
    for (const Wrapper* wrapper : wrappers) {
      const ModuleType* const type = entry.plugin->library->Find(wrapper->call.type);
      ASSERT_NE(type, nullptr) << wrapper->call.type;
      visit({entry.variant->name, wrapper == wrappers.front() ? "" : wrapper->name}, *type);
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

std::vector<std::string> ImageTestModels() {
  std::vector<std::string> names;
  VisitTestModels([&](const CatalogEntry& entry) {
    if (!WrappersOf(*entry.plugin, *entry.variant, "").empty()) names.push_back(entry.variant->name);
  });
  return names;
}

std::vector<std::string> NukeTestModels(absl::string_view type) {
  std::vector<std::string> names;
  VisitNukeTestModels([&](const NukeTestModel& model, const ModuleType& wrapper) {
    if (type.empty() || wrapper.name() == type) names.push_back(ArtifactName(model.model, model.wrapper));
  });
  return names;
}

std::vector<std::string> NukeImageModels() {
  std::vector<std::string> names;
  VisitNukeTestModels([&](const NukeTestModel& model, const ModuleType& wrapper) {
    const bool has_max_size = std::any_of(wrapper.attributes.begin(), wrapper.attributes.end(),
                                          [](const ValueDecl& knob) { return knob.name == "max_size"; });
    if (has_max_size && wrapper.interface->stated.channels_in.size() == 3)
      names.push_back(ArtifactName(model.model, model.wrapper));
  });
  return names;
}

NukeTestModel FindNukeTestModel(absl::string_view name) {
  NukeTestModel found;
  VisitNukeTestModels([&](const NukeTestModel& model, const ModuleType&) {
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
