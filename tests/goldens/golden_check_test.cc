// A planted fault makes the comparison with goldens fail, with the tolerances of the giants' goldens, too.
#include "tests/goldens/golden_check.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"
#include "tests/support/case_table.h"
#include "tests/support/exported_module.h"
#include "tests/support/mutated_plugins.h"

namespace modelport {
namespace {

TEST(StageResultTest, ANonfiniteDifferenceIsNeverWithinTheTolerance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE((StageResult{"s", 1e-6, 1e-6}.ok()));
  EXPECT_FALSE((StageResult{"s", 2e-6, 1e-6}.ok()));
  EXPECT_FALSE((StageResult{"s", kInfinity, kInfinity}.ok()));
  EXPECT_FALSE((StageResult{"s", NAN, 1}.ok()));
}

// A giant's module type with small arguments, and its goldens.
struct Giant {
  std::string golden;  // The folder.
  std::string family;
  std::string module;

  std::string path() const { return absl::StrCat("models/", family, "/testdata/", golden); }
  std::vector<std::string> tables() const { return {absl::StrCat("models/", family, "/stages.txt")}; }
};

Giant GiantOf(const Case& fields) { return {Text(fields, "golden"), Text(fields, "extends"), Text(fields, "module")}; }

// What is planted in a giant's configuration.
struct Fault {
  Giant giant;
  Mutation change;  // Of `giant.module`.
};

std::vector<Giant> Giants() {
  std::vector<Giant> giants;
  for (const Case& fields : ReadCaseTable("tests/goldens/giants.txt")) giants.push_back(GiantOf(fields));
  return giants;
}

std::vector<Fault> Faults() {
  std::vector<Fault> faults;
  for (const Case& fields : ReadCaseTable("tests/goldens/giants.txt")) {
    for (const Mutation& change : MutationsOf(fields)) faults.push_back({GiantOf(fields), change});
  }
  return faults;
}

absl::StatusOr<torch::jit::Module> Export(const std::string& family, const std::string& call, uint64_t seed) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/plugin.yaml") << "family: planted\nsummary: s\nextends: " << family
                                         << "\nvariants: {planted: {summary: s, module: \"" << call << "\"}}\n";
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {folder}));
  return ExportSeeded(registry, "planted", seed);
}

// The stages of `giant`'s cases that `module` does not reproduce, with the noise of the giants' goldens.
std::vector<std::string> Missed(const Giant& giant, const std::string& module_call) {
  std::vector<std::string> missed;
  const auto table = ReadGoldenTables(giant.tables());
  EXPECT_OK(table);
  auto cases = ReadGoldenCases(giant.path());
  EXPECT_OK(cases);
  for (GoldenCase& golden : *cases) {
    for (GoldenStage& stage : golden.stages) stage.noise = absl::nullopt;
    const auto module = Export(giant.family, module_call, golden.seed);
    EXPECT_THAT(module, IsOk());
    const auto results = CheckGolden(*module, giant.family, golden, *table);
    EXPECT_OK(results);
    for (const StageResult& result : *results) {
      if (!result.ok()) missed.push_back(result.stage);
    }
  }
  return missed;
}

class PlantedFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFaultTest, IsFound) {
  const auto& [giant, change] = GetParam();
  std::string module = giant.module;
  const size_t place = module.find(change.from);
  ASSERT_NE(place, std::string::npos);
  module.replace(place, change.from.size(), change.to);
  EXPECT_FALSE(Missed(giant, module).empty());
}

INSTANTIATE_TEST_SUITE_P(OfTheGiants, PlantedFaultTest, testing::ValuesIn(Faults()));

TEST(GoldenCheckTest, UnchangedModelsAreWithinTheGiantsTolerance) {
  for (const Giant& giant : Giants()) {
    EXPECT_TRUE(Missed(giant, giant.module).empty()) << giant.golden;
  }
}

TEST(GoldenCheckTest, AnotherShapeIsNeverWithinTheTolerance) {
  const Giant giant = Giants().front();
  ASSERT_OK_AND_ASSIGN(const auto table, ReadGoldenTables(giant.tables()));
  ASSERT_OK_AND_ASSIGN(auto cases, ReadGoldenCases(giant.path()));
  GoldenCase& golden = cases.front();
  for (GoldenStage& stage : golden.stages) {
    stage.expected = stage.expected.unsqueeze(0);
    stage.noise = std::numeric_limits<double>::infinity();
  }
  ASSERT_OK_AND_ASSIGN(const auto module, Export(giant.family, giant.module, golden.seed));
  ASSERT_OK_AND_ASSIGN(const auto results, CheckGolden(module, giant.family, golden, table));
  EXPECT_EQ(results.size(), golden.stages.size());
  for (const StageResult& result : results) EXPECT_FALSE(result.ok()) << result.stage;
}

}  // namespace
}  // namespace modelport
