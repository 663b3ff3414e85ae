// Artifacts in the LibTorch that they are made for: loaded, converted, their knobs set, and run there with the same
// results as here.
//   runtime_test RUNTIME
#include "common/artifact/runtime.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/artifact/compare_values.h"
#include "common/artifact/manifest.h"
#include "common/status/status_matchers.h"
#include "common/text/table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/host_process.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kReference[] = "2.13";
constexpr double kTolerance = 1e-4;  // Of an output's range.

std::string* runtime;
Table* results;

struct RuntimeCase {
  std::string model;
  std::string target;
  std::vector<std::string> steps;                // What the host does with it.
  std::map<std::string, std::string> obstacles;  // By runtime: the operator that it lacks.
};

void PrintTo(const RuntimeCase& runtime_case, std::ostream* os) {
  *os << runtime_case.model << " for " << runtime_case.target;
}

std::vector<RuntimeCase> Cases() {
  const std::vector<std::string> features = {"forward 1,3,28,28", "forward_features 1,3,14,42",
                                             "get_intermediate_layers 2,3,42,28 0,1 true true true"};
  const std::vector<std::string> image = {"forward 1,3,28,28", "forward 1,3,14,42", "forward 2,3,42,28"};
  const std::vector<std::string> view = {"forward 1,1,3,28,28", "forward 2,1,3,42,28"};
  const std::vector<std::string> views = {"forward 1,1,3,28,28", "forward 1,3,3,14,42", "forward 2,2,3,42,28"};
  // Nuke's images have any size: odd, and smaller than what is to be padded.
  const std::vector<std::string> depth = {"forward 1,3,28,28", "forward 1,3,37,53", "forward 2,3,5,3",   "max_size=30",
                                          "forward 1,3,37,53", "convention=1",      "forward 1,3,37,53", "convention=2",
                                          "forward 1,3,37,53", "normalize=1",       "forward 1,3,37,53"};
  std::vector<std::string> metric_depth = depth;
  metric_depth.insert(metric_depth.end(), {"focal=500", "forward 1,3,37,53"});
  return {
      {"dinov2_vits14", "libtorch", features, {}},
      {"dinov2_vits14_reg", "libtorch", features, {{"1.6", "aten::_upsample_bicubic2d_aa"}}},
      {"dav2_vits", "libtorch", image, {}},
      {"dav2_metric_hypersim_vits", "libtorch", image, {}},
      {"dav2_metric_vkitti_vits", "libtorch", image, {}},
      {"da3_small", "libtorch", views, {}},
      {"tiny_any", "libtorch", views, {}},
      {"tiny_mono", "libtorch", view, {}},
      {"tiny_nested", "libtorch", views, {}},
      {"dav2_vits", "nuke", depth, {}},
      {"dav2_metric_hypersim_vits", "nuke", depth, {}},
      {"dav2_metric_vkitti_vits", "nuke", depth, {}},
  };
}

ToolResult Export(const RuntimeCase& runtime_case, const std::string& folder, std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--model=" + runtime_case.model, "--target=" + runtime_case.target, "--out=m.pt",
                             "--plugin_path=" + DataPath("models")});
  return RunTool("export", flags, folder);
}

Manifest ReadManifest(const std::string& folder) {
  return ParseManifest(ReadFile(folder + "/m.manifest.json"), "m.manifest.json").value();
}

// Whether some step sets each knob of the artifact.
void ExpectKnobsAreSet(const Manifest& manifest, const std::vector<std::string>& steps) {
  for (const Manifest::Knob& knob : manifest.knobs()) {
    EXPECT_THAT(steps, Contains(StartsWith(knob.name() + "=")));
  }
}

// Position in the list of runtimes, oldest first.
int Age(const std::string& name) {
  const auto& all = Runtimes();
  return std::find_if(all.begin(), all.end(), [&](const Runtime& r) { return r.name == name; }) - all.begin();
}

class RuntimeTest : public testing::TestWithParam<RuntimeCase> {
 protected:
  void Report(const std::string& result) { results->AddRow({GetParam().model, GetParam().target, *runtime, result}); }
};

TEST_P(RuntimeTest, ComputesWhatTheReferenceComputes) {
  const std::string reference = EmptyFolder("reference"), made = EmptyFolder("made");
  const ToolResult exported = Export(GetParam(), made, {"--weights=seeded", "--runtime=" + *runtime});
  if (const auto obstacle = GetParam().obstacles.find(*runtime); obstacle != GetParam().obstacles.end()) {
    EXPECT_EQ(exported.exit_status, 1);
    EXPECT_THAT(exported.err, HasSubstr(obstacle->second));
    return Report("cannot be made: " + obstacle->second);
  }
  Report("FAILED");
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  ASSERT_EQ(Export(GetParam(), reference, {"--weights=seeded"}).exit_status, 0);
  ExpectKnobsAreSet(ReadManifest(made), GetParam().steps);
  ASSERT_OK_AND_ASSIGN(const c10::IValue expected, RunHost(kReference, reference + "/m.pt", GetParam().steps));
  ASSERT_OK_AND_ASSIGN(const c10::IValue actual, RunHost(*runtime, made + "/m.pt", GetParam().steps));
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(expected, actual, "results"));
  EXPECT_LE(difference.relative, kTolerance);
  Report(absl::StrFormat("%.1e in %d results", difference.relative, expected.toTupleRef().elements().size()));
}

TEST_P(RuntimeTest, LoadsAnArtifactOfNoRuntimeIfItsManifestSaysSo) {
  const std::string folder = EmptyFolder("plain");
  ASSERT_EQ(Export(GetParam(), folder, {"--weights=seeded"}).exit_status, 0);
  const std::string oldest = ReadManifest(folder).minimum_runtime();
  EXPECT_EQ(RunHost(*runtime, folder + "/m.pt", {}).ok(), Age(*runtime) >= Age(oldest)) << oldest;
}

INSTANTIATE_TEST_SUITE_P(Models, RuntimeTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.model + "_" + info.param.target; });

TEST(RuntimeTest, OtherWeightsAreNoticed) {
  const RuntimeCase dav2 = {"tiny_dav2", "libtorch", {"forward 1,3,28,28"}, {}};
  const std::string folder = EmptyFolder("made"), other = EmptyFolder("other");
  ASSERT_EQ(Export(dav2, folder, {"--weights=seeded:0", "--runtime=" + *runtime}).exit_status, 0);
  ASSERT_EQ(Export(dav2, other, {"--weights=seeded:1", "--runtime=" + *runtime}).exit_status, 0);
  ASSERT_OK_AND_ASSIGN(const c10::IValue expected, RunHost(*runtime, folder + "/m.pt", dav2.steps));
  ASSERT_OK_AND_ASSIGN(const c10::IValue actual, RunHost(*runtime, other + "/m.pt", dav2.steps));
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(expected, actual, "results"));
  EXPECT_GT(difference.relative, 100 * kTolerance);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: runtime_test RUNTIME\n");
    return 1;
  }
  modelport::runtime = new std::string(argv[1]);
  modelport::results = new modelport::Table();
  const int status = RUN_ALL_TESTS();
  std::printf("\nLargest difference from LibTorch %s, as a part of the output's range; float32 on the CPU, no GPU:\n%s",
              modelport::kReference, modelport::results->ToString().c_str());
  return status;
}
