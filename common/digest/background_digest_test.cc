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

TEST(BackgroundDigestTest, EndsWithoutHexDigest) {
  const std::string bytes(64 << 20, 'x');
  BackgroundDigest digest;
  digest.Append(bytes);
}

}  // namespace
}  // namespace modelport
