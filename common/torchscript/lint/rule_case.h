// Helpers for tests of lint rules.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_

#include <string>
#include <utility>
#include <vector>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A module with a weight, a buffer and a tensor that is neither, and the methods `code`.
torch::jit::Module MakeModule(const std::string& code);

// The code of a method forward(self, x) with the lines `body`.
std::string Forward(const std::string& body);

// The findings about `module` after it was saved and loaded again.
std::vector<Finding> LintSaved(const torch::jit::Module& module, const LintOptions& options = {});

struct RuleCase {
  const char* name;
  const char* rule;
  std::string bad;      // Methods of a module with one finding.
  const char* message;  // A part of that finding's message.
  std::string good;     // The most similar methods without a finding.
};

// Expects exactly one finding for `bad` and none for `good`.
void ExpectFindsTheBadOneOnly(const RuleCase& test, const LintOptions& options = {});

// The fact about a literal or a module.
inline Fact KnownFact(c10::IValue value) {
  Fact fact;
  fact.value = std::move(value);
  return fact;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_
