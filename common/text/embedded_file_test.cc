#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "common/text/template.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(FindEmbeddedTest, FindsAFileByItsName) {
  const EmbeddedFile files[] = {{"a/my_plugin.yaml", "1"}, {"a/b/plugin.yaml", "2"}, {"page.html", "3"}};
  EXPECT_EQ(*FindEmbedded(files, "plugin.yaml"), "2");
  EXPECT_EQ(*FindEmbedded(files, "page.html"), "3");
  EXPECT_THAT(FindEmbedded(files, "yaml"), StatusIs(absl::StatusCode::kInternal, "no embedded file yaml"));
}

}  // namespace
}  // namespace modelport
