#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/build_module.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Not;

constexpr char kModules[] = R"(
functions:
  - |
    def inner(x: Tensor) -> Tensor:
      return x
    def beside(x: Tensor) -> Tensor:
      return x
  - |
    def outer(x: Tensor) -> Tensor:
      return inner(x)
  - |
    def other(x: Tensor) -> Tensor:
      return helper(x)
modules:
  Item():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return outer(x)
  Root():
    children:
      items:
        - {module: Item(), repeat: 2}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.items(x)
  Unused():
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return other(x)
)";

absl::StatusOr<ModuleTree> BuildTree(const std::string& root) {
  auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"toy.yaml", kModules}));
  ASSIGN_OR_RETURN(const Call call, ParseCall(root));
  return BuildModuleTree(library, call);
}

TEST(CalledNamesTest, AreThoseOfMethodsAndOfTheFunctionsThatTheyCall) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTree("Root()"));
  EXPECT_THAT(CalledNames(tree), AllOf(Contains("outer"), Contains("inner"), Contains("items")));
}

TEST(CalledNamesTest, WhatOnlyOtherTypesCallIsNotAmongThem) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTree("Root()"));
  EXPECT_THAT(CalledNames(tree), AllOf(Not(Contains("other")), Not(Contains("helper"))));
  ASSERT_OK_AND_ASSIGN(const ModuleTree unused, BuildTree("Unused()"));
  EXPECT_THAT(CalledNames(unused), AllOf(Contains("helper"), Not(Contains("inner"))));
}

}  // namespace
}  // namespace modelport
