#include "common/torchscript/lint/rule_case.h"

#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/lint/lint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using torch::jit::Module;

namespace {

Module Reload(const Module& module) {
  std::stringstream archive;
  module.save(archive);
  return torch::jit::load(archive);
}

}  // namespace

Module MakeModule(const std::string& code) {
  Module module("Net");
  module.register_parameter("weight", at::ones({3, 3, 1, 1}), /*is_buffer=*/false);
  module.register_buffer("mean", at::ones({1, 3, 1, 1}));
  module.register_attribute("table", c10::TensorType::get(), at::ones({1, 3, 1, 1}));
  module.define(code);
  return module;
}

std::string Forward(const std::string& body) { return absl::StrCat("def forward(self, x):\n", body); }

std::vector<Finding> LintSaved(const Module& module, const LintOptions& options) {
  const auto result = Lint(Reload(module), ArchiveFormat(), options);
  EXPECT_OK(result);
  return result.ok() ? result->findings : std::vector<Finding>();
}

void ExpectFindsTheBadOneOnly(const RuleCase& test, const LintOptions& options) {
  EXPECT_THAT(LintSaved(MakeModule(test.bad), options),
              ElementsAre(AllOf(Field(&Finding::rule, test.rule), Field(&Finding::message, HasSubstr(test.message)),
                                Field(&Finding::modules, ElementsAre("")))));
  for (const Finding& finding : LintSaved(MakeModule(test.good), options)) {
    ADD_FAILURE() << finding.rule << ": " << finding.line.text << ": " << finding.message;
  }
}

}  // namespace modelport
