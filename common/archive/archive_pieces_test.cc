#include "common/archive/archive_pieces.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

std::string Read(const ArchivePieces& pieces, uint64_t position, size_t size) {
  std::string buffer(size, '?');
  buffer.resize(pieces.read(position, buffer.data(), size, ""));
  return buffer;
}

TEST(ArchivePiecesTest, ReadsAcrossPieces) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  pieces.AppendCopy(std::string("head "));
  pieces.Append(weights);
  pieces.Append("");
  pieces.AppendCopy(std::string(" tail"));
  EXPECT_EQ(pieces.size(), 17);
  EXPECT_EQ(Read(pieces, 0, 17), "head weights tail");
  EXPECT_EQ(Read(pieces, 3, 4), "d we");
  EXPECT_EQ(Read(pieces, 14, 10), "ail");
  EXPECT_EQ(Read(pieces, 17, 1), "");
}

TEST(ArchivePiecesTest, CopiesInARowAreOnePiece) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  for (const char* copy : {"a", "", "b", "c"}) pieces.AppendCopy(copy);
  EXPECT_EQ(pieces.View(0, 3), "abc");
  pieces.Append(weights);
  for (const char* copy : {"d", "e"}) pieces.AppendCopy(copy);
  EXPECT_EQ(Read(pieces, 0, 20), "abcweightsde");
  EXPECT_EQ(pieces.View(10, 2), "de");
  EXPECT_EQ(pieces.size(), 12);
}

TEST(ArchivePiecesTest, ViewsOnePieceWhereItLies) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  pieces.AppendCopy("head ");
  pieces.Append(weights);
  EXPECT_EQ(pieces.View(5, 7), "weights");
  EXPECT_EQ(pieces.View(7, 2).data(), weights.data() + 2);
  EXPECT_EQ(pieces.View(4, 2), "") << "two pieces";
  EXPECT_EQ(pieces.View(5, 8), "") << "beyond the end";
  EXPECT_EQ(pieces.View(12, 0), "");
}

TEST(ArchivePiecesTest, EqualsTheBytesPutTogether) {
  ArchivePieces pieces;
  EXPECT_TRUE(pieces.Equals(""));
  pieces.AppendCopy("head ");
  pieces.AppendCopy("tail");
  EXPECT_TRUE(pieces.Equals("head tail"));
  for (const char* other : {"", "head", "head tai", "head tailx", "Head tail", "head Tail"}) {
    EXPECT_FALSE(pieces.Equals(other)) << other;
  }
}

}  // namespace
}  // namespace modelport
