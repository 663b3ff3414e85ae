#ifndef MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_
#define MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_

#include <string>
#include <vector>

#include "tests/support/case_table.h"

namespace modelport {

// A change of a plugin's text.
struct Mutation {
  std::string file;  // Below the folder of the plugins: "family/modules.yaml".
  std::string from;  // Its first occurrence is replaced.
  std::string to;
};

// The changes of a case of a table, which reads like a diff. Successive lines of one sign are one text.
//
//   file: family/modules.yaml
//   - return torch.relu(x)
//   + return x
std::vector<Mutation> MutationsOf(const Case& fields);

// A copy of the folder `plugins` of the test's data in which `mutation` is made, in the test's temporary folder. It
// replaces an earlier copy.
std::string MutatedPlugins(const std::string& plugins, const Mutation& mutation);

// That of the families.
inline std::string MutatedModels(const Mutation& mutation) { return MutatedPlugins("models", mutation); }

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_
