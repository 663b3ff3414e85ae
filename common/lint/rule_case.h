// What the tests of the lint's rules share.
#ifndef MODELPORT_COMMON_LINT_RULE_CASE_H_
#define MODELPORT_COMMON_LINT_RULE_CASE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "common/artifact/runtime.h"
#include "common/lint/finding.h"

namespace modelport {

// A module with a weight, a buffer and a tensor that is neither, and the methods `code`.
torch::jit::Module MakeModule(const std::string& code);

// forward(self, x), whose lines are `body`.
std::string Forward(const std::string& body);

// The findings about `module` as a file has it, for Nuke.
std::vector<Finding> LintForNuke(const torch::jit::Module& module, const Runtime* runtime = nullptr);

struct RuleCase {
  const char* name;
  const char* rule;
  std::string bad;      // The code of a module with one finding,
  const char* message;  // which says this.
  std::string good;     // The nearest code without one.
};

// Fails the test unless the lint does so.
void ExpectFindsTheBadOneOnly(const RuleCase& test);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_RULE_CASE_H_
