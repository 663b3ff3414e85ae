#include "common/text/shared_pieces.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(SharedPiecesTest, IsTheShareOfCharactersInCommonPieces) {
  EXPECT_DOUBLE_EQ(SharedPieces("norm1.weight", "norm1.weight"), 1);
  EXPECT_DOUBLE_EQ(SharedPieces("abc", "xyz"), 0);
  EXPECT_DOUBLE_EQ(SharedPieces("ab-cd", "ab+cd"), 0.8);
  EXPECT_DOUBLE_EQ(SharedPieces("abcd", "cdab"), 0.5);
  EXPECT_DOUBLE_EQ(SharedPieces("", ""), 1);
  EXPECT_DOUBLE_EQ(SharedPieces("a", ""), 0);
}

TEST(SharedPiecesTest, ANumberInANameCounts) {
  EXPECT_GT(SharedPieces("ls1.gamma", "layer_scale1.lambda1"), SharedPieces("ls2.gamma", "layer_scale1.lambda1"));
  EXPECT_GT(SharedPieces("mlp.fc2.bias", "mlp.fc2.bias"), SharedPieces("attn.proj.bias", "mlp.fc2.bias"));
}

TEST(SharedPiecesTest, OfLongNamesTheEndsAreCompared) {
  const std::string end(96, 'e');
  EXPECT_DOUBLE_EQ(SharedPieces(std::string(1 << 20, 'a') + end, std::string(1 << 20, 'b') + end), 1);
}

}  // namespace
}  // namespace modelport
