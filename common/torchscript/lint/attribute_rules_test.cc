#include <torch/csrc/jit/api/module.h>
#include <torch/custom_class.h>

#include "common/status/status_matchers.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using torch::jit::Module;

TEST(AttributeTypesTest, FindsTypesThatHostsMayNotKnow) {
  Module net("Net"), child("Child");
  child.register_attribute("names", c10::DictType::create(c10::StringType::get(), c10::ListType::ofInts()),
                           c10::impl::GenericDict(c10::StringType::get(), c10::ListType::ofInts()));
  child.register_attribute("phase", c10::OptionalType::create(c10::ComplexType::get()), c10::complex<double>(0, 1));
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintSaved(net),
              ElementsAre(AllOf(Field(&Finding::rule, "attribute type"), Field(&Finding::modules, ElementsAre("child")),
                                Field(&Finding::message, HasSubstr("attribute phase is of type Optional[complex]")))));
}

struct Handle : torch::CustomClassHolder {};

TEST(AttributeTypesTest, FindsModulesThatCannotBeSavedAgain) {
  Module net("Net");
  net.register_attribute("handle", c10::CapsuleType::get(), c10::IValue::make_capsule(c10::make_intrusive<Handle>()));
  net.define("def forward(self, x):\n  return x\n");
  ASSERT_OK_AND_ASSIGN(const LintResult result, Lint(net, ArchiveFormat(), LintOptions()));
  EXPECT_THAT(result.findings, Contains(Field(&Finding::message, HasSubstr("cannot be saved again"))));
}

}  // namespace
}  // namespace modelport
