#include "common/digest/sha256.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// The digest of "abc", the example in FIPS 180-4.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, DigestOfNothing) {
  EXPECT_EQ(Sha256().HexDigest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesGiveTheDigestOfTheWhole) {
  Sha256 sha256;
  sha256.Update("a");
  sha256.Update("");
  sha256.Update("bc");
  EXPECT_EQ(sha256.HexDigest(), kAbc);
}

TEST(Sha256Test, MoreBytesMayFollowADigest) {
  Sha256 sha256;
  sha256.Update("ab");
  EXPECT_NE(sha256.HexDigest(), kAbc);
  sha256.Update("c");
  EXPECT_EQ(sha256.HexDigest(), kAbc);
}

}  // namespace
}  // namespace modelport
