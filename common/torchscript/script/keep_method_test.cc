#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/torchscript/script/build_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using torch::jit::Module;

std::vector<std::string> MethodNames(const Module& module) {
  std::vector<std::string> names;
  for (const auto& method : module.get_methods()) names.push_back(method.name());
  return names;
}

class KeepMethodTest : public testing::Test {
 protected:
  KeepMethodTest() {
    leaf_.define(R"(
      def twice(self, x):
        return x * 2

      def forward(self, x):
        return self.twice(x)

      def unused(self, x):
        return torch.inverse(x)
    )");
    idle_.define("def forward(self, x):\n  return x\n");
    root_.register_module("leaf", leaf_);
    root_.register_module("idle", idle_);
    root_.define(R"(
      def deeper(self, x):
        return self.leaf.forward(x)

      def forward(self, x):
        if x.dim() == 2:
          x = self.deeper(x)
        return x

      def other(self, x):
        return self.leaf.unused(self.idle.forward(x))
    )");
  }

  Module leaf_{"Leaf"}, idle_{"Idle"}, root_{"Root"};
};

TEST_F(KeepMethodTest, OnlyWhatTheMethodReachesIsLeft) {
  ASSERT_OK(KeepMethod(root_, "forward"));
  EXPECT_THAT(MethodNames(root_), ElementsAre("deeper", "forward"));
  EXPECT_THAT(MethodNames(leaf_), ElementsAre("twice", "forward"));
  EXPECT_THAT(MethodNames(idle_), IsEmpty());
}

TEST_F(KeepMethodTest, WhatIsLeftIsSavedAndRunsAsBefore) {
  const at::Tensor x = at::ones({2, 2});
  const at::Tensor before = root_.forward({x}).toTensor();
  ASSERT_OK(KeepMethod(root_, "forward"));
  std::stringstream file;
  root_.save(file);
  EXPECT_EQ(file.str().find("inverse"), std::string::npos);
  const Module loaded = torch::jit::load(file);
  EXPECT_TRUE(at::equal(loaded.get_method("forward")({x}).toTensor(), before));
  EXPECT_FALSE(loaded.find_method("other").has_value());
}

TEST_F(KeepMethodTest, AMethodThatIsNotThereIsAnError) {
  EXPECT_THAT(KeepMethod(leaf_, "backward"), StatusIs(absl::StatusCode::kNotFound, "no method backward"));
  EXPECT_THAT(MethodNames(leaf_), SizeIs(3));
}

}  // namespace
}  // namespace modelport
