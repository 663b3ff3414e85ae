#include "common/digest/background_digest.h"

#include <string>

#include "common/digest/sha256.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(BackgroundDigestTest, IsTheDigestOfAllBytes) {
  for (const size_t size : {0, 1, 4 << 20, (9 << 20) + 5}) {
    const std::string bytes(size, 'y');
    BackgroundDigest digest;
    digest.Append(bytes);
    EXPECT_EQ(digest.HexDigest(), Sha256Of(bytes));
    EXPECT_EQ(digest.HexDigest(), Sha256Of(bytes)) << "second call";
  }
}

// Copies of all sizes, more than the buffers hold, with lasting bytes and questions between them.
TEST(BackgroundDigestTest, CopiesAreHashedInTheirOrder) {
  const std::string lasting(3 << 20, 'l');
  std::string all;
  BackgroundDigest digest;
  for (int i = 0; i < 30; ++i) {
    std::string copied((i * 73'856'093) % (2 << 20), static_cast<char>('a' + i));
    all += copied;
    digest.AppendCopy(copied);
    copied.assign(copied.size(), '?');
    if (i % 7 == 3) {
      all += lasting;
      digest.Append(lasting);
    }
    if (i % 11 == 5) {
      EXPECT_EQ(digest.HexDigest(), Sha256Of(all));
    }
  }
  EXPECT_EQ(digest.HexDigest(), Sha256Of(all));
}

TEST(BackgroundDigestTest, EndsWithoutHexDigest) {
  const std::string bytes(64 << 20, 'x');
  BackgroundDigest digest;
  digest.Append(bytes);
}

}  // namespace
}  // namespace modelport
