#ifndef MODELPORT_TESTS_RUNTIME_CASES_H_
#define MODELPORT_TESTS_RUNTIME_CASES_H_

#include <ostream>
#include <string>
#include <vector>

namespace modelport {

// An artifact, with seeded weights, and what hosts do with it.
struct ArtifactCase {
  std::string model;
  std::string target;
  std::vector<std::string> steps;  // As host.cc takes them.
};

// For GoogleTest: "dav2_vits_nuke".
void PrintTo(const ArtifactCase& artifact, std::ostream* os);

// A small model of every kind in the catalog, for every target it has. Where all published ones are large, a test
// variant stands in, of the same module types.
std::vector<ArtifactCase> ArtifactCases();

}  // namespace modelport

#endif  // MODELPORT_TESTS_RUNTIME_CASES_H_
