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

// The flags of export that make it as m.pt of the plugins of the tests, but for the weights.
std::vector<std::string> FlagsOf(const ArtifactCase& artifact);

// All calls, then each knob with the last call after it.
std::vector<std::string> Steps(const ArtifactCase& artifact);

// For GoogleTest: "MODEL_nuke", "MODEL_nuke_classes", "MODEL_images".
void PrintTo(const ArtifactCase& artifact, std::ostream* os);

// Those of all families' tables models/FAMILY/testdata/runtime.txt: a small model of every kind in the catalog, for
// every target that it supports. Where all published models are large, a test model with the same module types takes
// their place. The fields of a case are
//
//   target      its name
//   call, knob  steps of tests/runtime/host.cc
//   model       a model for which the artifact is made and the steps are taken
//   weights     of its models, in half precision. For a pixel near the threshold of the sky, rounding decides whether
//               it is sky, which changes its depth much. With the weights that are named every pixel's sky value in
//               float64 is at least 0.0047 from the threshold: three times the error of half precision
//   magnifies   yes: it magnifies rounding, by a mask's threshold or in a map of two cells, whose range is small: on a
//               GPU its results in TF32 and in half precision are not compared
//   images      yes: the artifact prepares images itself
//   wrapper     of several for the target
//   fused       of how many groups of operators LibTorch 1.12 makes kernels in the first call, at most. It compiles
//               those whose tensors grow with the image for each of the first three sizes
std::vector<ArtifactCase> ArtifactCases();

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_CASES_H_
