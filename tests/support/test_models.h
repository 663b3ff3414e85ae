#ifndef MODELPORT_TESTS_SUPPORT_TEST_MODELS_H_
#define MODELPORT_TESTS_SUPPORT_TEST_MODELS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "registry/registry.h"
#include "targets/targets.h"

namespace modelport {

// The family whose models a test asks that each family runs for itself, as build_defs/family_tests.bzl declares it;
// empty in a test of all. The main of such tests, family_main.cc, sets it before GoogleTest makes their instances.
std::string& TestFamily();

// The variants that exist for tests only, in the plugins that the test has: small ones of every kind of model.
std::vector<std::string> TestModels();

// Those whose artifacts may prepare images themselves.
std::vector<std::string> ImageTestModels();

// A test model in one of its wrappers for Nuke.
struct NukeTestModel {
  std::string model;
  std::string wrapper;  // Empty: the default.
};

// The names of all of them, "model" and "model_classes", or only of those of this wrapper type.
std::vector<std::string> NukeTestModels(absl::string_view type = "");

// Those that take one image alone, and have the knob max_size.
std::vector<std::string> NukeImageModels();

// The one of this name.
NukeTestModel FindNukeTestModel(absl::string_view name);

// The wrappers in which `entry` can be made for `target`, by name; one without a name for a target that needs none.
std::vector<std::string> WrapperNames(const CatalogEntry& entry, const Target& target);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_TEST_MODELS_H_
