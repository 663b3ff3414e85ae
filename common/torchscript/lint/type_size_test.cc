#include "common/torchscript/lint/type_size.h"

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// A forward with a tuple of tuples, `depth` deep.
std::string NestedTuples(int depth) {
  std::string body = "  t0 = (x, x)\n";
  for (int i = 1; i < depth; ++i) absl::StrAppend(&body, "  t", i, " = (t", i - 1, ", t", i - 1, ")\n");
  return Forward(absl::StrCat(body, "  return t", depth - 1, "\n"));
}

TEST(CheckTypeSizesTest, AcceptsTypesThatNetworksReturn) {
  EXPECT_OK(CheckTypeSizes(MakeModule(Forward("  return x\n"))));
  EXPECT_OK(CheckTypeSizes(MakeModule(NestedTuples(8))));
}

TEST(CheckTypeSizesTest, RefusesTypesThatAreTooLarge) {
  EXPECT_THAT(CheckTypeSizes(MakeModule(NestedTuples(12))),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("a type has more than 1000 parts")));
}

}  // namespace
}  // namespace modelport
