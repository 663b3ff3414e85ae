#ifndef MODELPORT_TESTS_RUNTIME_CASES_H_
#define MODELPORT_TESTS_RUNTIME_CASES_H_

#include <ostream>
#include <string>
#include <vector>

namespace modelport {

// An artifact with seeded weights, and the steps that hosts take with it; host.cc describes them.
struct ArtifactCase {
  std::string model;
  std::string target;
  std::vector<std::string> calls;
  std::vector<std::string> knobs;  // Set one after the other.
  // The weights of an export that runs in half precision.
  std::string half_weights = "seeded";
  bool magnifies = false;  // Rounding.
  bool with_preprocess = false;
  std::string wrapper = "";  // Of several for the target; empty: the default.
  int fused_groups = 0;      // Of operators, of which LibTorch 1.12 makes kernels in the first call: at most so many.
};

// All calls, then each knob with the last call after it.
std::vector<std::string> Steps(const ArtifactCase& artifact);

// For GoogleTest: "MODEL_nuke", "MODEL_nuke_classes", "MODEL_images".
void PrintTo(const ArtifactCase& artifact, std::ostream* os);

// Those of tests/runtime/cases.txt.
std::vector<ArtifactCase> ArtifactCases();

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_CASES_H_
