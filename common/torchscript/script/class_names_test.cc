#include "common/torchscript/script/class_names.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(WithPluginNamesTest, RemovesTheNamespaceOfEachClass) {
  EXPECT_EQ(WithPluginNames("wants __torch__.modelport.Conv2d, has __torch__.modelport.Linear"),
            "wants Conv2d, has Linear");
  EXPECT_EQ(WithPluginNames("__torch__.other.Conv2d"), "__torch__.other.Conv2d");
}

TEST(WithPluginNamesTest, RemovesTheAddressOfEachCompilationUnit) {
  EXPECT_EQ(WithPluginNames("A (of Python compilation unit at: 0x55d0) or B (of Python compilation unit at: 0x1)."),
            "A or B.");
  EXPECT_EQ(WithPluginNames("A (of Python compilation unit at: 0x55d0"), "A (of Python compilation unit at: 0x55d0");
}

}  // namespace
}  // namespace modelport
