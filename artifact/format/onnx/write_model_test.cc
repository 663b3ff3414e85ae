#include "artifact/format/onnx/write_model.h"

#include <ATen/ops/arange.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::onnx {
namespace {

// What VisitElements gives of a tensor, and in how many pieces.
struct Visited {
  std::string bytes;
  int pieces = 0;
  bool lasts = true;
};

Visited Visit(const at::Tensor& tensor) {
  Visited visited;
  EXPECT_OK(VisitElements(tensor, [&](absl::string_view bytes, bool lasts) {
    visited.bytes.append(bytes.data(), bytes.size());
    ++visited.pieces;
    visited.lasts = visited.lasts && lasts;
    return absl::OkStatus();
  }));
  return visited;
}

std::string BytesOf(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  return {static_cast<const char*>(dense.const_data_ptr()), dense.nbytes()};
}

TEST(VisitElementsTest, GivesATransposedMatrixInItsOrder) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {300, 257}, {257, 300}, {33, 1031}, {1031, 33}, {2, 900}, {900, 1}, {1, 900}, {700, 2050}}) {
    for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
      const at::Tensor numbers = at::arange(rows * columns, at::kLong).remainder(251).to(type);
      const at::Tensor transposed = numbers.reshape({columns, rows}).t();
      EXPECT_TRUE(Visit(transposed).bytes == BytesOf(transposed)) << rows << " x " << columns << " " << type;
    }
  }
}

TEST(VisitElementsTest, ALargeMatrixIsNotCopiedAsAWhole) {
  const at::Tensor matrix = at::arange(2048 * 1024, at::kFloat).reshape({1024, 2048});
  EXPECT_GE(Visit(matrix.t()).pieces, 4);
  EXPECT_FALSE(Visit(matrix.t()).lasts);
  EXPECT_EQ(Visit(matrix).pieces, 1);
  EXPECT_TRUE(Visit(matrix).lasts);
}

TEST(VisitElementsTest, OtherViewsAreGivenInTheirOrder) {
  const at::Tensor matrix = at::arange(64 * 64, at::kFloat).reshape({64, 64});
  for (const at::Tensor& view :
       {matrix.t().narrow(0, 3, 40), matrix.t().narrow(1, 3, 40), matrix.slice(1, 0, 64, 2),
        matrix.narrow(0, 0, 1).expand({64, 64}), matrix.reshape({4, 16, 64}).permute({2, 0, 1})}) {
    EXPECT_TRUE(Visit(view).bytes == BytesOf(view)) << view.sizes() << " " << view.strides();
  }
}

TEST(VisitElementsTest, ALargeViewOfSeveralDimensionsIsNotCopiedAsAWhole) {
  const at::Tensor table = at::arange(37 * 37 * 1024, at::kFloat).reshape({1, 37, 37, 1024}).permute({0, 3, 1, 2});
  const Visited visited = Visit(table);
  EXPECT_TRUE(visited.bytes == BytesOf(table));
  EXPECT_GE(visited.pieces, 4);
  EXPECT_FALSE(visited.lasts);
}

TEST(VisitElementsTest, StopsAtAnError) {
  const at::Tensor matrix = at::arange(2048 * 1024, at::kFloat).reshape({1024, 2048});
  int pieces = 0;
  EXPECT_THAT(VisitElements(matrix.t(),
                            [&](absl::string_view, bool) {
                              ++pieces;
                              return absl::ResourceExhaustedError("full");
                            }),
              StatusIs(absl::StatusCode::kResourceExhausted, "full"));
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace modelport::onnx
