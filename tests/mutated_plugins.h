#ifndef MODELPORT_TESTS_MUTATED_PLUGINS_H_
#define MODELPORT_TESTS_MUTATED_PLUGINS_H_

#include <string>

namespace modelport {

// A change of a plugin's text.
struct Mutation {
  const char* file;  // Below models/.
  const char* from;  // Its first occurrence is replaced.
  const char* to;
};

// A copy of models/ in which `mutation` is made, in the test's temporary folder. It replaces an earlier copy.
std::string MutatedModels(const Mutation& mutation);

}  // namespace modelport

#endif  // MODELPORT_TESTS_MUTATED_PLUGINS_H_
