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
  // The weights of an export that runs in half precision. For a pixel near the threshold of the sky, rounding decides
  // whether it is sky, which changes its depth much; with these weights no pixel of the calls is near the threshold.
  std::string half_weights = "seeded";
  bool with_preprocess = false;
  std::string wrapper = "";  // Of several for the target; empty: the default.
};

// All calls, then each knob with the last call after it.
std::vector<std::string> Steps(const ArtifactCase& artifact);

// For GoogleTest: "dav2_vits_nuke", "tiny_resnet_nuke_classes", "dav2_vits_images".
void PrintTo(const ArtifactCase& artifact, std::ostream* os);

// A small model of every kind in the catalog, for every target that it supports. Where all published models are large,
// a test variant with the same module types takes their place.
std::vector<ArtifactCase> ArtifactCases();

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_CASES_H_
