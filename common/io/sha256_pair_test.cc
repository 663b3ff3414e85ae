#include "common/io/sha256_pair.h"

#include <algorithm>
#include <random>
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

std::string RandomBytes(std::mt19937& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Sha256PairTest, AgreesWithTheLibraryHoweverTheBytesArrive) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::string first = RandomBytes(random, random() % 2000), second = RandomBytes(random, random() % 2000);
    Sha256Pair pair;
    absl::string_view a = first, b = second;
    while (!a.empty() || !b.empty()) {
      const size_t take_a = std::min<size_t>(a.size(), random() % 400),
                   take_b = std::min<size_t>(b.size(), random() % 400);
      pair.Update(a.substr(0, take_a), b.substr(0, take_b));
      a.remove_prefix(take_a);
      b.remove_prefix(take_b);
    }
    ASSERT_EQ(pair.FirstHexDigest(), Digest(first));
    ASSERT_EQ(pair.SecondHexDigest(), Digest(second));
  }
}

TEST(Sha256PairTest, LengthsOfMoreThan32BitsAreCounted) {
  // 3 times 256 MiB: more than 2^32 bits.
  const std::string run(256 << 20, 'x');
  Sha256Pair pair;
  Sha256 first, second;
  for (int i = 0; i < 3; ++i) {
    pair.Update(run, absl::string_view(run).substr(1));
    first.Update(run);
    second.Update(absl::string_view(run).substr(1));
  }
  EXPECT_EQ(pair.FirstHexDigest(), first.HexDigest());
  EXPECT_EQ(pair.SecondHexDigest(), second.HexDigest());
}

TEST(Sha256PairTest, OneStreamMayStayEmpty) {
  Sha256Pair pair;
  pair.Update("", "abc");
  EXPECT_EQ(pair.FirstHexDigest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(pair.SecondHexDigest(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace modelport
