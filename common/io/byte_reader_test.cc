#include "common/io/byte_reader.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ByteReaderTest, NumbersAreLittleEndian) {
  ByteReader reader("\x01\x02\xff");
  EXPECT_EQ(reader.ReadNumber<uint16_t>(), 0x0201);
  EXPECT_EQ(reader.ReadNumber<int8_t>(), -1);
  EXPECT_EQ(reader.remaining(), 0);
}

TEST(ByteReaderTest, NumberThatDoesNotFitReadsNothing) {
  ByteReader reader("abc");
  EXPECT_EQ(reader.ReadNumber<uint32_t>(), absl::nullopt);
  EXPECT_EQ(reader.offset(), 0);
}

TEST(ByteReaderTest, HugeSizeReadsNothing) {
  ByteReader reader("abc", 1);
  EXPECT_EQ(reader.ReadBytes(std::numeric_limits<uint64_t>::max()), absl::nullopt);
  EXPECT_EQ(reader.ReadBytes(2), "bc");
}

TEST(ByteReaderTest, LinesEndAtNewlines) {
  ByteReader reader("one\n\ntwo");
  EXPECT_EQ(reader.ReadLine(), "one");
  EXPECT_EQ(reader.ReadLine(), "");
  EXPECT_EQ(reader.ReadLine(), absl::nullopt);
  EXPECT_EQ(reader.remaining(), 3);
}

TEST(ByteReaderTest, OffsetBeyondTheEndIsTheEnd) {
  EXPECT_EQ(ByteReader("abc", std::numeric_limits<uint64_t>::max()).remaining(), 0);
}

TEST(LittleEndianTest, TheLowestByteComesFirst) {
  EXPECT_EQ(LittleEndian(uint32_t{0x04030201}), "\x01\x02\x03\x04");
  EXPECT_EQ(LittleEndian(int16_t{-2}), "\xfe\xff");
  EXPECT_EQ(LittleEndian(1.0f), std::string("\0\0\x80\x3f", 4));
}

TEST(LittleEndianTest, NumbersFollowEachOther) {
  EXPECT_EQ(LittleEndian(std::vector<uint16_t>{0x0201, 0x0403}), "\x01\x02\x03\x04");
  EXPECT_EQ(LittleEndian(std::vector<float>{}), "");
}

}  // namespace

}  // namespace modelport
