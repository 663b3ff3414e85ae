#include "common/text/utf8.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

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
