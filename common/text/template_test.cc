#include "common/text/template.h"

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

absl::StatusOr<std::string> Fill(absl::string_view text) {
  TemplateData data;
  data.values = {{"model", "net"}, {"name", "outer"}};
  data.lists["knobs"] = {{{"name", "near"}, {"value", "0"}}, {{"name", "far"}, {"value", "1"}}};
  data.lists["none"] = {};
  data.verbatim = {{"code", "{1}"}};
  return FillTemplate(text, data, [](absl::string_view value) { return absl::StrCat("<", value, ">"); });
}

TEST(TemplateTest, FillsInEscapedValues) {
  const auto filled = Fill("a @model@@name@ b\n");
  ASSERT_OK(filled);
  EXPECT_EQ(*filled, "a <net><outer> b\n");
}

TEST(TemplateTest, VerbatimValuesAreNotEscaped) {
  const auto filled = Fill("@code@ @model@");
  ASSERT_OK(filled);
  EXPECT_EQ(*filled, "{1} <net>");
}

TEST(TemplateTest, RepeatsLinesForEachItem) {
  const auto filled = Fill("{\n@each knobs@\n  @name@ of @model@\n  @value@\n@end@\n}");
  ASSERT_OK(filled);
  EXPECT_EQ(*filled, "{\n  <near> of <net>\n  <0>\n  <far> of <net>\n  <1>\n}");
}

TEST(TemplateTest, AnEmptyListLeavesNoLine) {
  const auto filled = Fill("a\n@each none@\nb\n@end@\nc\n");
  ASSERT_OK(filled);
  EXPECT_EQ(*filled, "a\nc\n");
}

TEST(TemplateTest, AnyOtherAtSignIsPlainText) {
  for (const char* text : {"icon@2x.png", "@", "a@b.c and d@e.f", "@@", "@ model@"}) {
    const auto filled = Fill(text);
    ASSERT_OK(filled);
    EXPECT_EQ(*filled, text);
  }
}

TEST(TemplateTest, AnUnknownNameIsAnError) {
  for (const char* text :
       {"@nothing@", "@value@", "@each nothing@\n@end@", "@each knobs@\n", "@each knobs@\n@missing@\n@end@"}) {
    EXPECT_EQ(Fill(text).status().code(), absl::StatusCode::kInternal) << text;
  }
}

TEST(EscapeHtmlTest, MarkupIsShownAndNotObeyed) {
  EXPECT_EQ(EscapeHtml("<b title=\"a & b\">"), "&lt;b title=&quot;a &amp; b&quot;&gt;");
  EXPECT_EQ(EscapeHtml("blocks.0"), "blocks.0");
}

TEST(EscapeHtmlTest, ControlCharactersAreEscaped) { EXPECT_EQ(EscapeHtml("a\x1b<"), "a\\x1b&lt;"); }

}  // namespace

}  // namespace modelport
