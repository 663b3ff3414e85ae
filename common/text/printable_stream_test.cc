#include <sstream>

#include "common/text/printable.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(PrintableStreamTest, EscapesEverythingButLineEndsAndTabs) {
  std::ostringstream stream;
  {
    const PrintableStream printable(stream);
    stream << "a\tb\n\x1b[2J" << 'c' << "\r\n" << 7 << "\n\xe2\x80\xaelast";
  }
  EXPECT_EQ(stream.str(), "a\tb\n\\x1b[2Jc\\r\n7\n\\u{202e}last");
}

TEST(PrintableStreamTest, ACharacterMayComeInPieces) {
  std::ostringstream stream;
  const PrintableStream printable(stream);
  stream << '\xc3' << '\xa9' << std::flush;
  EXPECT_EQ(stream.str(), "\xc3\xa9");
}

TEST(PrintableStreamTest, WritesWhenFlushed) {
  std::ostringstream stream;
  const PrintableStream printable(stream);
  stream << "half";
  EXPECT_EQ(stream.str(), "");
  stream << std::flush;
  EXPECT_EQ(stream.str(), "half");
}

TEST(PrintableStreamTest, RestoresTheStream) {
  std::ostringstream stream;
  { const PrintableStream printable(stream); }
  stream << "\x1b";
  EXPECT_EQ(stream.str(), "\x1b");
}

}  // namespace
}  // namespace modelport
