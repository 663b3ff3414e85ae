#include <string>

#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
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
  EXPECT_OK(pieces.Write(std::string("head ")));
  EXPECT_OK(pieces.WriteLasting(weights));
  EXPECT_OK(pieces.WriteLasting(""));
  EXPECT_OK(pieces.Write(std::string(" tail")));
  EXPECT_EQ(pieces.size(), 17);
  EXPECT_EQ(Read(pieces, 0, 17), "head weights tail");
  EXPECT_EQ(Read(pieces, 3, 4), "d we");
  EXPECT_EQ(Read(pieces, 14, 10), "ail");
  EXPECT_EQ(Read(pieces, 17, 1), "");
}

TEST(ArchivePiecesTest, CopiesInARowAreOnePiece) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  for (const char* copy : {"a", "", "b", "c"}) EXPECT_OK(pieces.Write(copy));
  EXPECT_EQ(pieces.View(0, 3), "abc");
  EXPECT_OK(pieces.WriteLasting(weights));
  for (const char* copy : {"d", "e"}) EXPECT_OK(pieces.Write(copy));
  EXPECT_EQ(Read(pieces, 0, 20), "abcweightsde");
  EXPECT_EQ(pieces.View(10, 2), "de");
  EXPECT_EQ(pieces.size(), 12);
}

TEST(ArchivePiecesTest, ViewsOnePieceWithoutACopy) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  EXPECT_OK(pieces.Write("head "));
  EXPECT_OK(pieces.WriteLasting(weights));
  EXPECT_EQ(pieces.View(5, 7), "weights");
  EXPECT_EQ(pieces.View(7, 2).data(), weights.data() + 2);
  EXPECT_EQ(pieces.View(4, 2), "") << "two pieces";
  EXPECT_EQ(pieces.View(5, 8), "") << "beyond the end";
  EXPECT_EQ(pieces.View(12, 0), "");
}

TEST(ArchivePiecesTest, EqualsTheBytesPutTogether) {
  ArchivePieces pieces;
  EXPECT_TRUE(pieces.Equals(""));
  EXPECT_OK(pieces.Write("head "));
  EXPECT_OK(pieces.Write("tail"));
  EXPECT_TRUE(pieces.Equals("head tail"));
  for (const char* other : {"", "head", "head tai", "head tailx", "Head tail", "head Tail"}) {
    EXPECT_FALSE(pieces.Equals(other)) << other;
  }
}

}  // namespace
}  // namespace modelport
