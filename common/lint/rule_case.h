// What the tests of the lint's rules share.
#ifndef MODELPORT_COMMON_LINT_RULE_CASE_H_
#define MODELPORT_COMMON_LINT_RULE_CASE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "common/lint/finding.h"
#include "common/lint/lint.h"

namespace modelport {

// A module with a weight, a buffer and a tensor that is neither, and the methods `code`.
torch::jit::Module MakeModule(const std::string& code);

// forward(self, x), whose lines are `body`.
std::string Forward(const std::string& body);

// The findings about `module` as a file has it.
std::vector<Finding> LintSaved(const torch::jit::Module& module, const LintOptions& options = {});

struct RuleCase {
  const char* name;
  const char* rule;
  std::string bad;      // The code of a module with one finding,
  const char* message;  // which says this.
  std::string good;     // The nearest code without one.
};

// Fails the test unless the lint does so.
void ExpectFindsTheBadOneOnly(const RuleCase& test, const LintOptions& options = {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_RULE_CASE_H_
