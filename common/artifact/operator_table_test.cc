#include "common/artifact/operator_table.h"

#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

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

TEST(OperatorTableTest, TellsRuntimesApart) {
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

}  // namespace
}  // namespace modelport
