#include "common/io/utf8.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(Utf8Test, AcceptsEveryLengthOfCharacter) {
  for (const char* text : {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(Utf8Test, RefusesWhatIsNotWellFormed) {
  struct Case {
    const char* defect;
    const char* text;
  };
  const Case cases[] = {
      {"continuation byte first", "\x80"},
      {"character cut short", "a\xe2\x82"},
      {"lead byte where a continuation belongs", "\xc3\xc3"},
      {"overlong", "\xc0\xaf"},
      {"surrogate", "\xed\xa0\x80"},
      {"above U+10FFFF", "\xf4\x90\x80\x80"},
      {"no such lead byte", "\xff"},
  };
  for (const Case& c : cases) EXPECT_FALSE(IsUtf8(c.text)) << c.defect;
}

}  // namespace
}  // namespace modelport
