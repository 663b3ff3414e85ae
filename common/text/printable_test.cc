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

TEST(Utf8Test, ReadsEveryLengthOfCharacter) {
  struct Case {
    const char* text;
    uint32_t code_point;
    size_t size;
  };
  const Case cases[] = {
      {"ab", 'a', 1},
      {"\xc3\xa9z", 0xe9, 2},
      {"\xe2\x82\xacz", 0x20ac, 3},
      {"\xf0\x9f\x98\x80z", 0x1f600, 4},
      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
  };
  for (const Case& c : cases) {
    const absl::optional<Utf8Character> character = FirstUtf8Character(c.text);
    ASSERT_TRUE(character.has_value()) << c.text;
    EXPECT_EQ(character->code_point, c.code_point);
    EXPECT_EQ(character->size, c.size);
  }
}

TEST(Utf8Test, RefusesMalformedUtf8) {
  struct Case {
    const char* defect;
    const char* text;
  };
  const Case cases[] = {
      {"nothing", ""},
      {"continuation byte first", "\x80"},
      {"character cut short", "\xe2\x82"},
      {"lead byte where a continuation belongs", "\xc3\xc3"},
      {"overlong", "\xc0\xaf"},
      {"surrogate", "\xed\xa0\x80"},
      {"above U+10FFFF", "\xf4\x90\x80\x80"},
      {"no such lead byte", "\xff"},
  };
  for (const Case& c : cases) EXPECT_FALSE(FirstUtf8Character(c.text).has_value()) << c.defect;
}

TEST(IsUtf8Test, ChecksEveryCharacter) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("blocks.0 \u00e9\u4e2d\U0001f600"));
  EXPECT_FALSE(IsUtf8("blocks\xff"));
  EXPECT_FALSE(IsUtf8("cut \xe4\xb8"));
}

}  // namespace

}  // namespace modelport
