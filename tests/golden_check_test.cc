// A planted fault makes the comparison with goldens fail, with the tolerances of the giants' goldens, too.
#include "tests/golden_check.h"

#include <ATen/Functions.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "tests/exported_module.h"
#include "tests/golden_case.h"

namespace modelport {
namespace {

TEST(StageResultTest, ANonfiniteDifferenceIsNeverWithinTheTolerance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE((StageResult{"s", 1e-6, 1e-6}.ok()));
  EXPECT_FALSE((StageResult{"s", 2e-6, 1e-6}.ok()));
  EXPECT_FALSE((StageResult{"s", kInfinity, kInfinity}.ok()));
  EXPECT_FALSE((StageResult{"s", NAN, 1}.ok()));
}

// The goldens of a small model, and its module.
struct Variant {
  std::string family;
  std::string golden;
  std::string module;
};

// The giants' types with small arguments: dinov2_vitg14's, dinov2_vitg14_reg's and dav2_vitg's.
const Variant kPlain = {"dinov2", "tiny_dinov2_swiglu",
                        "DinoVisionTransformer(dim=24, depth=4, heads=2, grid=4, ffn=SwiGLU, hidden=64)"};
const Variant kRegisters = {"dinov2", "tiny_dinov2_swiglu_reg",
                            "DinoVisionTransformer(dim=24, depth=4, heads=2, grid=4, registers=4, offset=0.0, "
                            "antialias=true, ffn=SwiGLU, hidden=64)"};
const Variant kDepth = {"depth_anything_v2", "tiny_dav2_swiglu",
                        "DepthAnythingV2(dim=24, depth=4, heads=2, grid=4, taps=[0, 1, 2, 3], features=16, c1=8, "
                        "c2=12, c3=16, c4=24, ffn=SwiGLU, hidden=64)"};

absl::StatusOr<torch::jit::Module> Export(const std::string& family, const std::string& call, uint64_t seed) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/plugin.yaml") << "family: planted\nsummary: s\nextends: " << family
                                         << "\nvariants: {planted: {summary: s, module: \"" << call << "\"}}\n";
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(EmbeddedPlugins(), {folder}));
  return ExportSeeded(registry, "planted", seed);
}

// The stages of `variant`'s cases that `module` does not reproduce, with the noise of the giants' goldens.
std::vector<std::string> Missed(const Variant& variant, const std::string& module_call) {
  std::vector<std::string> missed;
  const auto table = ReadGoldenTable("tests/stages.txt");
  EXPECT_OK(table);
  auto cases = ReadGoldenCases(absl::StrCat("tests/goldens/", variant.golden));
  EXPECT_OK(cases);
  for (GoldenCase& golden : *cases) {
    for (GoldenStage& stage : golden.stages) stage.noise = absl::nullopt;
    const auto module = Export(variant.family, module_call, golden.seed);
    EXPECT_THAT(module, IsOk());
    const auto results = CheckGolden(*module, variant.family, golden, *table);
    EXPECT_OK(results);
    for (const StageResult& result : *results) {
      if (!result.ok()) missed.push_back(result.stage);
    }
  }
  return missed;
}

struct Fault {
  const Variant& variant;
  std::string from;  // An argument of the module, and what is planted in its place.
  std::string to;
};

class PlantedFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFaultTest, IsFound) {
  std::string module = GetParam().variant.module;
  const size_t place = module.find(GetParam().from);
  ASSERT_NE(place, std::string::npos);
  module.replace(place, GetParam().from.size(), GetParam().to);
  EXPECT_FALSE(Missed(GetParam().variant, module).empty());
}

INSTANTIATE_TEST_SUITE_P(
    OfTheGiants, PlantedFaultTest,
    testing::Values(Fault{kPlain, "heads=2", "heads=3"}, Fault{kPlain, "grid=4", "grid=4, offset=0.0"},
                    Fault{kPlain, "grid=4", "grid=4, antialias=true"}, Fault{kRegisters, "heads=2", "heads=4"},
                    Fault{kRegisters, "heads=2", "heads=1"}, Fault{kRegisters, "antialias=true", "antialias=false"},
                    Fault{kDepth, "heads=2", "heads=4"},
                    Fault{kDepth, "depth=4, heads=2, grid=4, taps=[0, 1, 2, 3]",
                          "depth=5, heads=2, grid=4, taps=[0, 1, 2, 4]"}));

TEST(GoldenCheckTest, UnchangedModelsAreWithinTheGiantsTolerance) {
  for (const Variant& variant : {kPlain, kRegisters, kDepth}) {
    EXPECT_TRUE(Missed(variant, variant.module).empty()) << variant.golden;
  }
}

TEST(GoldenCheckTest, AnotherShapeIsNeverWithinTheTolerance) {
  ASSERT_OK_AND_ASSIGN(const auto table, ReadGoldenTable("tests/stages.txt"));
  ASSERT_OK_AND_ASSIGN(auto cases, ReadGoldenCases("tests/goldens/tiny_dinov2_swiglu"));
  GoldenCase& golden = cases.front();
  for (GoldenStage& stage : golden.stages) {
    stage.expected = stage.expected.unsqueeze(0);
    stage.noise = std::numeric_limits<double>::infinity();
  }
  ASSERT_OK_AND_ASSIGN(const auto module, Export(kPlain.family, kPlain.module, golden.seed));
  ASSERT_OK_AND_ASSIGN(const auto results, CheckGolden(module, kPlain.family, golden, table));
  EXPECT_EQ(results.size(), golden.stages.size());
  for (const StageResult& result : results) EXPECT_FALSE(result.ok()) << result.stage;
}

}  // namespace
}  // namespace modelport
