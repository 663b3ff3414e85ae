#include "common/torchscript/lint/operator_kinds.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

struct Kind {
  const char* name;
  bool (*has)(absl::string_view name);
  const char* member;
  const char* other;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

constexpr Kind kKinds[] = {
    {"WantsOneDtype", WantsOneDtype, "linear", "add"}, {"TakesTwoDevices", TakesTwoDevices, "copy_", "linear"},
    {"LacksHalf", LacksHalf, "quantile", "linear"},    {"GivesIntegers", GivesIntegers, "argmax", "sum"},
    {"PicksElements", PicksElements, "gather", "add"}, {"TakesDtypeOfNumbers", TakesDtypeOfNumbers, "arange", "zeros"},
};

class OperatorKindsTest : public testing::TestWithParam<Kind> {};

TEST_P(OperatorKindsTest, IsKnownByTheFullName) {
  const Kind& kind = GetParam();
  EXPECT_TRUE(kind.has(absl::StrCat("aten::", kind.member)));
  EXPECT_FALSE(kind.has(absl::StrCat("aten::", kind.other)));
  EXPECT_FALSE(kind.has(kind.member)) << "without a namespace";
  EXPECT_FALSE(kind.has(absl::StrCat("mine::", kind.member))) << "in another namespace";
}

INSTANTIATE_TEST_SUITE_P(All, OperatorKindsTest, testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
