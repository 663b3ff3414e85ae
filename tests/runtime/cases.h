#ifndef MODELPORT_TESTS_RUNTIME_CASES_H_
#define MODELPORT_TESTS_RUNTIME_CASES_H_

#include <ostream>
#include <string>
#include <vector>

namespace modelport {

// An artifact, with seeded weights, and what hosts do with it, as steps of host.cc.
struct ArtifactCase {
  std::string model;
  std::string target;
  std::vector<std::string> calls;
  std::vector<std::string> knobs;  // Set one after the other.
  // Of an export that runs in half precision. A pixel near the threshold of the sky is sky by rounding alone, and then
  // its depth jumps; so these weights bring no pixel of the calls near it.
  std::string half_weights = "seeded";
};

// All calls, and then the last one again after each knob.
std::vector<std::string> Steps(const ArtifactCase& artifact);

// For GoogleTest: "dav2_vits_nuke".
void PrintTo(const ArtifactCase& artifact, std::ostream* os);

// A small model of every kind in the catalog, for every target it has. Where all published ones are large, a test
// variant stands in, of the same module types.
std::vector<ArtifactCase> ArtifactCases();

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_CASES_H_
