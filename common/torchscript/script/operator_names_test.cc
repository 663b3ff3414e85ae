#include "common/torchscript/script/operator_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;
using testing::WhenSorted;

TEST(OperatorNamesTest, HasThePublicOperatorsOfAtenOnce) {
  EXPECT_THAT(OperatorNames(), Contains("relu").Times(1));
  EXPECT_THAT(OperatorNames(), Contains("relu_"));
  EXPECT_THAT(OperatorNames(), Not(Contains(StartsWith("_"))));
  EXPECT_THAT(OperatorNames(), Not(Contains(StartsWith("aten::"))));
}

TEST(OperatorNamesTest, AreSorted) { EXPECT_THAT(OperatorNames(), WhenSorted(OperatorNames())); }

}  // namespace
}  // namespace modelport
