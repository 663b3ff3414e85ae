#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(OperatorTableTest, HasAColumnForEachKnownRuntime) {
  std::vector<std::string> names;
  for (const Runtime& runtime : Runtimes()) names.emplace_back(runtime.name);
  EXPECT_EQ(OperatorTableRuntimes(), names);
}

TEST(OperatorTableTest, HasEverySchemaOfTheRunningLibTorch) {
  if (!absl::StartsWith(TORCH_VERSION, "2.13.")) GTEST_SKIP() << "this is LibTorch " << TORCH_VERSION;
  for (const auto& op : torch::jit::getAllOperators()) {
    const c10::FunctionSchema& schema = op->schema();
    const std::vector<c10::FunctionSchema> registered = RegisteredSchemas("2.13", schema.name());
    EXPECT_TRUE(std::any_of(registered.begin(), registered.end(), [&](const c10::FunctionSchema& other) {
      return other.arguments() == schema.arguments();
    })) << schema;
  }
}

TEST(OperatorTableTest, RuntimesHaveDifferentOperators) {
  EXPECT_THAT(RegisteredSchemas("1.6", "aten::relu"), Not(IsEmpty()));
  EXPECT_THAT(RegisteredSchemas("1.6", "aten::pad"), IsEmpty());
  EXPECT_THAT(RegisteredSchemas("1.12", "aten::pad"), Not(IsEmpty()));
  EXPECT_THAT(RegisteredSchemas("1.12", "aten::scaled_dot_product_attention"), IsEmpty());
  EXPECT_THAT(RegisteredSchemas("2.1", "aten::scaled_dot_product_attention"), Not(IsEmpty()));
}

TEST(OperatorTableTest, FindsWholeNamesOnly) {
  for (const c10::FunctionSchema& schema : RegisteredSchemas("2.13", "aten::add")) {
    EXPECT_EQ(schema.name(), "aten::add");
  }
  EXPECT_THAT(RegisteredSchemas("2.13", "aten::no_such_operator"), IsEmpty());
}

TEST(OperatorsOfTest, AreThoseThatTheRuntimeRegisters) {
  EXPECT_TRUE(OperatorsOf(&Runtimes()[0])("relu"));
  EXPECT_FALSE(OperatorsOf(&Runtimes()[0])("silu"));
  EXPECT_TRUE(OperatorsOf(&Runtimes()[1])("silu"));
  EXPECT_FALSE(OperatorsOf(&Runtimes()[1])("scaled_dot_product_attention"));
  EXPECT_TRUE(OperatorsOf(nullptr)("scaled_dot_product_attention"));
  EXPECT_FALSE(OperatorsOf(nullptr)("no_such_operator"));
}

}  // namespace
}  // namespace modelport
