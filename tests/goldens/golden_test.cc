// Every stored stage of a model's goldens is reproduced from an artifact that was saved and loaded back.
//   golden_test STAGES PLUGINS MODEL ARTIFACT FOLDER...
// STAGES are tables of stages, separated by commas, of which some may be missing, PLUGINS the folder of the plugin, or
// several separated by commas, ARTIFACT the model's file with the weights of seed 0, or "none", and each FOLDER one
// with golden cases.
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"
#include "tests/goldens/golden_check.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

std::vector<std::string>* stages;
std::vector<std::string>* plugins;
std::string* model;
std::string* artifact;
std::vector<std::string>* folders;

// The cases of each artifact: of a seed, and with images prepared or not.
std::map<std::pair<uint64_t, bool>, std::vector<GoldenCase>> CasesByArtifact() {
  std::map<std::pair<uint64_t, bool>, std::vector<GoldenCase>> cases;
  for (const std::string& folder : *folders) {
    auto read = ReadGoldenCases(folder);
    EXPECT_OK(read);
    if (!read.ok()) continue;
    for (GoldenCase& golden : *read) cases[{golden.seed, golden.with_preprocess}].push_back(std::move(golden));
  }
  return cases;
}

// A model has the stages of the family that its own extends.
std::string Family(const CatalogEntry& entry) {
  const Plugin& plugin = *entry.plugin;
  return plugin.extends.empty() ? plugin.family : plugin.extends.front().family;
}

// Prints the stage that is nearest to its tolerance.
void Report(const std::vector<StageResult>& results) {
  const auto ratio = [](const StageResult& r) { return r.difference == 0 ? 0 : r.difference / r.tolerance; };
  const auto worst = std::max_element(results.begin(), results.end(),
                                      [&](const auto& a, const auto& b) { return ratio(a) < ratio(b); });
  std::printf("%zu stages; nearest to its tolerance: %s: %.3g of %.3g\n", results.size(), worst->stage.c_str(),
              worst->difference, worst->tolerance);
}

TEST(GoldenTest, EveryStageIsReproduced) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), *plugins));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(*model));
  ASSERT_OK_AND_ASSIGN(const GoldenTable table, ReadGoldenTables(*stages));
  const auto cases_by_artifact = CasesByArtifact();
  ASSERT_FALSE(cases_by_artifact.empty()) << "no golden cases of " << *model;
  for (const auto& [made, cases] : cases_by_artifact) {
    const auto& [seed, with_preprocess] = made;
    const bool is_built = seed == 0 && !with_preprocess && *artifact != "none";
    const auto prepares = [&, with = with_preprocess](ExportOptions& options) {
      options.request.with_preprocess = with;
    };
    ASSERT_OK_AND_ASSIGN(const torch::jit::Module module,
                         is_built ? LoadModule(*artifact) : ExportSeeded(registry, *model, seed, prepares));
    for (const GoldenCase& golden : cases) {
      ASSERT_OK_AND_ASSIGN(const std::vector<StageResult> results, CheckGolden(module, Family(entry), golden, table));
      ASSERT_FALSE(results.empty()) << golden.name;
      for (const StageResult& result : results) {
        EXPECT_TRUE(result.ok()) << result.stage << " differs by " << result.difference << ", more than "
                                 << result.tolerance;
      }
      Report(results);
    }
  }
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 6) {
    std::fprintf(stderr, "usage: golden_test STAGES PLUGINS MODEL ARTIFACT FOLDER...\n");
    return 1;
  }
  modelport::stages = new std::vector<std::string>(absl::StrSplit(argv[1], ','));
  modelport::plugins = new std::vector<std::string>(absl::StrSplit(argv[2], ','));
  modelport::model = new std::string(argv[3]);
  modelport::artifact = new std::string(argv[4]);
  modelport::folders = new std::vector<std::string>(argv + 5, argv + argc);
  return RUN_ALL_TESTS();
}
