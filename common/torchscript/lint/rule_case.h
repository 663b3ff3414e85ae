// Helpers for tests of lint rules.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_

#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {

// A module with a weight, a buffer and a tensor that is neither, and the methods `code`.
inline torch::jit::Module MakeModule(const std::string& code) {
  torch::jit::Module module("Net");
  module.register_parameter("weight", at::ones({3, 3, 1, 1}), /*is_buffer=*/false);
  module.register_buffer("mean", at::ones({1, 3, 1, 1}));
  module.register_attribute("table", c10::TensorType::get(), at::ones({1, 3, 1, 1}));
  module.define(code);
  return module;
}

// The code of a method forward(self, x) with the lines `body`.
inline std::string Forward(const std::string& body) { return absl::StrCat("def forward(self, x):\n", body); }

// The findings about `module` after it was saved and loaded again.
inline std::vector<Finding> LintSaved(const torch::jit::Module& module, const LintOptions& options = {}) {
  std::stringstream archive;
  module.save(archive);
  const auto result = Lint(torch::jit::load(archive), ArchiveFormat(), options);
  EXPECT_OK(result);
  return result.ok() ? result->findings : std::vector<Finding>();
}

struct RuleCase {
  const char* name;
  const char* rule;
  std::string bad;      // Methods of a module with one finding.
  const char* message;  // A part of that finding's message.
  std::string good;     // The most similar methods without a finding.
};

// Expects exactly one finding for `bad` and none for `good`.
inline void ExpectFindsTheBadOneOnly(const RuleCase& test, const LintOptions& options = {}) {
  EXPECT_THAT(LintSaved(MakeModule(test.bad), options),
              testing::ElementsAre(testing::AllOf(testing::Field(&Finding::rule, test.rule),
                                                  testing::Field(&Finding::message, testing::HasSubstr(test.message)),
                                                  testing::Field(&Finding::modules, testing::ElementsAre("")))));
  for (const Finding& finding : LintSaved(MakeModule(test.good), options)) {
    ADD_FAILURE() << finding.rule << ": " << finding.line.text << ": " << finding.message;
  }
}

// The fact about a literal or a module.
inline Fact KnownFact(c10::IValue value) {
  Fact fact;
  fact.value = std::move(value);
  return fact;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_RULE_CASE_H_
