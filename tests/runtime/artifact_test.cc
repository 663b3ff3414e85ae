// Loads and converts artifacts in a LibTorch that they are made for, sets their knobs, runs them, and compares the
// results with those of the LibTorch that exported them.
//   artifact_test RUNTIME
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/text/table.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/runtime/cases.h"
#include "tests/runtime/host_process.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

constexpr char kReference[] = "2.13";
// Fractions of an output's range.
constexpr double kTolerance = 1e-4;
constexpr double kHalfTolerance = 1e-2;

std::string* runtime;
Table* results;

// Returns what the failed export printed to stderr; "" if it succeeded.
std::string Export(const ArtifactCase& artifact, const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> flags = FlagsOf(artifact);
  flags.insert(flags.end(), more.begin(), more.end());
  const ToolResult exported = RunWarmTool("export", flags, folder);
  return exported.exit_status == 0 ? "" : exported.err;
}

absl::StatusOr<Manifest> ReadManifest(const std::string& folder) {
  return ParseManifest(ReadFile(folder + "/m.manifest.json"), "m.manifest.json");
}

// Compares the results of the artifact in `made`, run in this runtime, with those of the one in `reference`, run in the
// reference.
absl::StatusOr<Difference> CompareWithReference(const std::string& reference, const std::string& made,
                                                const std::vector<std::string>& steps) {
  ASSIGN_OR_RETURN(const c10::IValue expected, RunHost(kReference, reference + "/m.pt", steps));
  ASSIGN_OR_RETURN(const c10::IValue actual, RunHost(*runtime, made + "/m.pt", steps));
  return CompareValues(expected, actual, "results");
}

class ArtifactTest : public testing::TestWithParam<ArtifactCase> {
 protected:
  // Exports the reference, which is for no particular runtime, and an artifact for this runtime.
  void ExportBoth(const std::string& weights) {
    reference_ = EmptyFolder("reference");
    made_ = EmptyFolder("made");
    ASSERT_EQ(Export(GetParam(), reference_, {"--weights=" + weights}), "");
    ASSERT_EQ(Export(GetParam(), made_, {"--weights=" + weights, "--runtime=" + *runtime}), "");
  }

  // Compares with the reference and adds a row to the report.
  void ExpectAgreement(const std::vector<std::string>& steps, const std::string& dtype, double tolerance) const {
    const absl::StatusOr<Difference> difference = CompareWithReference(reference_, made_, steps);
    EXPECT_OK(difference);
    if (difference.ok()) {
      EXPECT_LE(difference->relative, tolerance);
    }
    Report(dtype, difference.ok() ? absl::StrFormat("%.1e", difference->relative) : "FAILED");
  }

  void Report(const std::string& dtype, const std::string& result) const {
    results->AddRow({testing::PrintToString(GetParam()), dtype, *runtime, result});
  }

  void ExpectAgreementInHalfPrecision() {
    if (!IsAtLeast(*runtime, "2.7")) return Report("float16", "not run: no kernels for the CPU");
    if (GetParam().half_weights != "seeded") {
      ASSERT_NO_FATAL_FAILURE(ExportBoth(GetParam().half_weights));
    }
    std::vector<std::string> steps = GetParam().calls;
    steps.insert(steps.begin(), "half");
    ExpectAgreement(steps, "float16", kHalfTolerance);
  }

  // Expects that the artifact in `folder` loads in this runtime exactly if its manifest says so.
  static void ExpectMinimumRuntime(const std::string& folder) {
    ASSERT_OK_AND_ASSIGN(const Manifest manifest, ReadManifest(folder));
    EXPECT_EQ(RunHost(*runtime, folder + "/m.pt", {}).ok(), IsAtLeast(*runtime, manifest.minimum_runtime()))
        << manifest.minimum_runtime();
  }

  // Expects that the runtime fuses no more groups of operators than the case states.
  void ExpectFewFusedGroups() const {
    ASSERT_OK_AND_ASSIGN(const c10::IValue values, RunHost(*runtime, made_ + "/m.pt", {GetParam().calls[0], "groups"}));
    // Two results of the call and the number, of the artifact and then of its copy.
    EXPECT_LE(values.toTupleRef().elements().at(2).toInt(), GetParam().fused_groups);
    EXPECT_LE(values.toTupleRef().elements().at(5).toInt(), GetParam().fused_groups);
  }

  std::string reference_, made_;  // Folders.
};

// All that is checked of one pair of artifacts, so that they are exported once.
TEST_P(ArtifactTest, ComputesWhatTheReferenceComputes) {
  ASSERT_NO_FATAL_FAILURE(ExportBoth("seeded"));
  ExpectMinimumRuntime(reference_);
  ExpectAgreement(Steps(GetParam()), "float32", kTolerance);
  // Only this release compiles groups for the CPU, and again for other sizes.
  if (*runtime == "1.12") ExpectFewFusedGroups();
  // Only Nuke has a switch for half precision.
  if (GetParam().target == "nuke") ExpectAgreementInHalfPrecision();
}

TEST_P(ArtifactTest, ForTheOldestRuntimeLoadsWhereItsManifestSays) {
  const std::string made = EmptyFolder("made");
  ASSERT_EQ(Export(GetParam(), made, {"--weights=seeded", "--runtime=1.6"}), "");
  ExpectMinimumRuntime(made);
}

INSTANTIATE_TEST_SUITE_P(Models, ArtifactTest, testing::ValuesIn(ArtifactCases()), testing::PrintToStringParamName());

TEST(ArtifactComparisonTest, OtherWeightsGiveOtherResults) {
  const ArtifactCase artifact = {DepthModel(), "libtorch", {"forward 1,3,28,28"}, {}};
  const std::string made = EmptyFolder("made"), other = EmptyFolder("other");
  ASSERT_EQ(Export(artifact, made, {"--weights=seeded:0", "--runtime=" + *runtime}), "");
  ASSERT_EQ(Export(artifact, other, {"--weights=seeded:1", "--runtime=" + *runtime}), "");
  ASSERT_OK_AND_ASSIGN(const c10::IValue expected, RunHost(*runtime, made + "/m.pt", artifact.calls));
  ASSERT_OK_AND_ASSIGN(const c10::IValue actual, RunHost(*runtime, other + "/m.pt", artifact.calls));
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(expected, actual, "results"));
  EXPECT_GT(difference.relative, 100 * kTolerance);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: artifact_test RUNTIME\n");
    return 1;
  }
  modelport::runtime = new std::string(argv[1]);
  modelport::results = new modelport::Table();
  const int status = RUN_ALL_TESTS();
  std::printf("\nLargest difference from LibTorch %s, as a part of the output's range, on the CPU:\n%s",
              modelport::kReference, modelport::results->ToString().c_str());
  return status;
}
