#include "common/io/little_endian.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

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
