#include "common/io/background_sha256.h"

#include <string>

#include "common/io/sha256.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

std::string Digest(absl::string_view bytes) {
  Sha256 sha256;
  sha256.Update(bytes);
  return sha256.HexDigest();
}

TEST(BackgroundSha256Test, HashesViewsAndCopiesInOrder) {
  const std::string large(1 << 20, 'x');
  BackgroundSha256 sha256("beside");
  std::string all;
  for (int i = 0; i < 200; ++i) {
    std::string header = "header " + std::to_string(i);
    sha256.AppendCopy(header);
    sha256.Append(large);
    all += header + large;
    header.assign(header.size(), '?');  // The copy is what counts.
  }
  EXPECT_EQ(sha256.HexDigest(), Digest(all));
  EXPECT_EQ(sha256.BesideHexDigest(), Digest("beside"));
}

TEST(BackgroundSha256Test, WhatIsBesideMayBeLonger) {
  const std::string beside(3 << 20, 'y');
  BackgroundSha256 sha256(beside);
  sha256.AppendCopy("short");
  EXPECT_EQ(sha256.HexDigest(), Digest("short"));
  EXPECT_EQ(sha256.BesideHexDigest(), Digest(beside));
}

TEST(BackgroundSha256Test, EndsWithoutADigest) {
  const std::string large(64 << 20, 'x');
  BackgroundSha256 sha256("");
  sha256.Append(large);
}

}  // namespace
}  // namespace modelport
