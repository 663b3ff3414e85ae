#include "common/text/printable.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(PrintableTest, VisibleTextStaysUnchanged) {
  for (const char* text : {"", "blocks.0.attn.qkv.weight", "caf\xc3\xa9 \xe6\xb7\xb1\xe5\xba\xa6", "C:\\x1b ~"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(PrintableTest, EscapesWhatATerminalExecutesOrHides) {
  struct Case {
    std::string text;
    std::string printed;
  };
  const Case cases[] = {
      {"a\nOK: b", "a\\nOK: b"},
      {"\t\r", "\\t\\r"},
      {std::string("\0", 1), "\\x00"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "2J",
       "\\u{9b}2J"},
      {"\xe2\x80\xae"
       "abc",
       "\\u{202e}abc"},
      {"\xe2\x80\xa8", "\\u{2028}"},
      {"\xef\xbb\xbf", "\\u{feff}"},
      {"\xf3\xa0\x81\x81", "\\u{e0041}"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Printable(c.text), c.printed);
    EXPECT_EQ(Printable(c.printed), c.printed);
  }
}

TEST(PrintableTest, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("caf\xe9.pth"), "caf\\xe9.pth");
  EXPECT_EQ(Printable("\x9b\xc3"), "\\x9b\\xc3");
}

TEST(PrintableLinesTest, KeepsLineEndsOnly) {
  EXPECT_EQ(PrintableLines("a\n  \x1b[2J\r\n"), "a\n  \\x1b[2J\\r\n");
  EXPECT_EQ(PrintableLines(""), "");
}

TEST(BriefTest, OnlyLongTextIsCut) {
  EXPECT_EQ(Brief("abc", 3), "abc");
  EXPECT_EQ(Brief("abcd", 3), "abc... (4 bytes)");
  EXPECT_EQ(Brief("\x1b\x1b", 1), "\\x1b... (2 bytes)");
}

TEST(BriefTest, CutsBetweenCharacters) { EXPECT_EQ(Brief("a\xe2\x82\xac", 3), "a... (4 bytes)"); }

TEST(BriefTest, CutsBytesThatAreNotUtf8) { EXPECT_EQ(Brief(std::string(9, '\x80'), 3), "... (9 bytes)"); }

}  // namespace
}  // namespace modelport
