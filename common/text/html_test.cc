#include "common/text/html.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(EscapeHtmlTest, MarkupIsShownAndNotObeyed) {
  EXPECT_EQ(EscapeHtml("<b title=\"a & b\">"), "&lt;b title=&quot;a &amp; b&quot;&gt;");
  EXPECT_EQ(EscapeHtml("blocks.0"), "blocks.0");
}

TEST(EscapeHtmlTest, ControlCharactersAreEscaped) { EXPECT_EQ(EscapeHtml("a\x1b<"), "a\\x1b&lt;"); }

}  // namespace
}  // namespace modelport
