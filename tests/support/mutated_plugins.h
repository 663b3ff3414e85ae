#ifndef MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_
#define MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_

#include <string>
#include <vector>

#include "tests/support/case_table.h"

namespace modelport {

// A change of a plugin's text.
struct Mutation {
  std::string file;  // Below models/.
  std::string from;  // Its first occurrence is replaced.
  std::string to;
};

// The changes of a case of a table, which reads like a diff. Successive lines of one sign are one text.
//
//   file: family/modules.yaml
//   - return torch.relu(x)
//   + return x
std::vector<Mutation> MutationsOf(const Case& fields);

// A copy of models/ in which `mutation` is made, in the test's temporary folder. It replaces an earlier copy.
std::string MutatedModels(const Mutation& mutation);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_MUTATED_PLUGINS_H_
