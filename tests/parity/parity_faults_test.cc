// Faults, each planted in a copy of the plugins: a comparison in which each module works on the reference's tensors
// names just the modules whose own text, constants or weights differ.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/stage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"
#include "tests/support/exported_module.h"
#include "tests/support/mutated_plugins.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

struct PlantedFault {
  std::string name;
  std::string model;
  std::vector<int64_t> input;
  Mutation mutation;
  std::string suspect;  // One of the modules at fault.
  bool loses_digits;    // Which no reference in half precision shows.
};

std::vector<PlantedFault> Faults() {
  std::vector<PlantedFault> faults;
  for (const Case& fields : ReadCaseTable("tests/parity/parity_faults.txt")) {
    PlantedFault fault = {Text(fields, "name"), Text(fields, "model"), {}, MutationsOf(fields).at(0), "", false};
    for (const absl::string_view size : absl::StrSplit(Text(fields, "input"), ',')) {
      int64_t number = 0;
      EXPECT_TRUE(absl::SimpleAtoi(size, &number)) << fault.name;
      fault.input.push_back(number);
    }
    fault.suspect = Text(fields, "suspect");
    fault.loses_digits = !Texts(fields, "loses_digits").empty();
    faults.push_back(std::move(fault));
  }
  return faults;
}

torch::jit::Module Export(const std::string& plugin_path, const std::string& model) {
  const auto registry = Registry::Load(BuiltInPlugins(), {plugin_path});
  EXPECT_THAT(registry, IsOk());
  auto module = ExportSeeded(*registry, model, 0);
  EXPECT_THAT(module, IsOk());
  return *std::move(module);
}

// The paths of the modules that the reference has calls of.
std::set<std::string> CalledPaths(const Reference& reference) {
  std::set<std::string> paths = {""};
  for (const auto& [name, tensor] : reference.expected) {
    if (!IsOutput(name)) paths.insert(ParseStage(name)->path);
  }
  return paths;
}

Reference Record(const torch::jit::Module& module, at::ScalarType type, const PlantedFault& fault) {
  const c10::InferenceMode inference;
  const at::Tensor input = at::linspace(-1, 1, c10::multiply_integers(fault.input)).mul(29).sin().view(fault.input);
  auto reference = RecordReference(TypedCopy(module, type), "forward", {input.to(type)}, "r", fault.model);
  EXPECT_THAT(reference, IsOk());
  // Wrong values are to be found by what they do, and not by their names. In half precision no eps does anything.
  if (type == at::kFloat) reference->settings.clear();
  return *std::move(reference);
}

std::set<std::string> Suspects(const torch::jit::Module& module, const Reference& reference) {
  const SettingsComparison settings = CompareSettings(reference.settings, FindSettings(module));
  const auto forced = CompareReference(module, reference, {.lenient = true, .inject_all = true});
  EXPECT_THAT(forced, IsOk());
  std::set<std::string> paths;
  if (!forced.ok()) return paths;
  for (const Suspect& suspect : FindSuspects(*forced, settings.differences)) paths.insert(suspect.path);
  return paths;
}

class ParityFaultsTest : public testing::TestWithParam<PlantedFault> {
 protected:
  static void SetUpTestSuite() { at::set_num_threads(1); }
};

TEST_P(ParityFaultsTest, EachModuleAtFaultIsNamedAndNoOther) {
  const PlantedFault& fault = GetParam();
  const torch::jit::Module right = Export("models", fault.model);
  const torch::jit::Module wrong = Export(MutatedModels(fault.mutation), fault.model);
  std::vector<at::ScalarType> types = {at::kFloat};
  if (!fault.loses_digits) types.push_back(at::kHalf);
  for (const at::ScalarType type : types) {
    SCOPED_TRACE(c10::toString(type));
    const Reference reference = Record(right, type, fault);
    EXPECT_THAT(Suspects(right, reference), testing::IsEmpty());
    const std::set<std::string> named = Suspects(wrong, reference);
    EXPECT_THAT(named, testing::Contains(fault.suspect));
    std::set<std::string> different = DifferentModules(right, wrong);
    std::erase_if(different, [&](const std::string& path) { return CalledPaths(reference).count(path) == 0; });
    EXPECT_EQ(named, different);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ParityFaultsTest, testing::ValuesIn(Faults()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
