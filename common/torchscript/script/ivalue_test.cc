#include "common/torchscript/script/ivalue.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ToIValueTest, EachKindOfValueHasItsTorchScriptType) {
  EXPECT_EQ(ToIValue(int64_t{3}).toInt(), 3);
  EXPECT_EQ(ToIValue(0.5).toDouble(), 0.5);
  EXPECT_TRUE(ToIValue(true).isBool());
  EXPECT_EQ(ToIValue(std::string("x")).toStringRef(), "x");
  EXPECT_EQ(ToIValue(std::vector<int64_t>{1, 2}).toIntVector(), std::vector<int64_t>({1, 2}));
  EXPECT_EQ(ToIValue(std::vector<double>{0.5}).toDoubleVector(), std::vector<double>({0.5}));
}

TEST(ToIValueTest, ATypeNameBecomesAString) { EXPECT_EQ(ToIValue(TypeName{"Mlp"}).toStringRef(), "Mlp"); }

}  // namespace
}  // namespace modelport
