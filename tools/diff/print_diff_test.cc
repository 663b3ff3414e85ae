#include "tools/diff/print_diff.h"

#include <string>

#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/diff/compare_tensors.h"
#include "tools/diff/diff_files.h"

namespace modelport {
namespace {

TensorComparison::Header MakeHeader(DType dtype, int64_t size) { return {dtype, {size}}; }

FileDifference MakeDifference() {
  const TensorComparison::Header narrow = MakeHeader(DType::kFloat32, 4), wide = MakeHeader(DType::kFloat32, 8),
                                 half = MakeHeader(DType::kFloat16, 4);
  FileDifference difference;
  difference.by_slot = true;
  difference.a = {.path = "a.pth", .format = "safetensors", .model = "net", .also = {"net_metric"}, .layout = "timm"};
  difference.b = {.path = "b.pt", .format = "artifact", .model = "net"};
  difference.b.beside = {"student"};
  difference.settings = {{"constant blocks.0.eps", "1e-05", "1e-06"},
                         {"constant blocks.1.eps", "1e-05", "1e-06"},
                         {"argument depth", "2", absl::nullopt}};
  difference.tensors = {
      {"blocks.0.w", narrow, narrow, ElementDifference{.elements = 4, .equal = 4}},
      {"blocks.0.b", narrow, narrow, ElementDifference{4, 3, 0, 0.5, 0.125, 0.75}},
      {"blocks.1.w", narrow, narrow, ElementDifference{.elements = 4, .equal = 4}},
      {"blocks.1.b", narrow, narrow, ElementDifference{4, 1, 1, 2, 0.375, 0.5}},
      {"head.w", narrow, half, ElementDifference{.elements = 4, .equal = 4}},
      {"head.b", narrow, wide, absl::nullopt},
      {"old", narrow, absl::nullopt, absl::nullopt},
      {"new", absl::nullopt, wide, absl::nullopt},
  };
  return difference;
}

TEST(PrintDiffTest, TextIsCollapsedOverLayers) {
  EXPECT_EQ(DiffText(MakeDifference()), R"(A  a.pth: safetensors, net (its keys also fit net_metric), layout timm
B  b.pt: artifact, net; not compared: student

settings
  constant blocks.{0..1}.eps  A: 1e-05  B: 1e-06
  argument depth              A: 2      B: none

tensors
  blocks.{0..1}.w: equal
  blocks.{0..1}.b: max 2, mean 0.25, cosine 0.5, 4 of 8 elements equal, 1 NaN or infinite in 2 tensors
  head.w: float32 and float16: max 0, mean 0, cosine 1, 4 of 4 elements equal
  head.b: float32 [4] and float32 [8]
  old: only in A: float32 [4]
  new: only in B: float32 [8]

8 tensors: 2 equal, 2 of other values, 1 of other dtype, 1 of other shape, 1 only in A, 1 only in B
)");
}

TEST(PrintDiffTest, JsonHoldsEveryTensor) {
  const nlohmann::json json = nlohmann::json::parse(DiffJson(MakeDifference()));
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["compared_by"], "slot");
  EXPECT_EQ(json["a"]["also_fits"][0], "net_metric");
  EXPECT_EQ(json["settings"][2]["name"], "argument depth");
  EXPECT_TRUE(json["settings"][2]["b"].is_null());
  EXPECT_EQ(json["tensors"].size(), 8);
  EXPECT_EQ(json["tensors"][3]["max_abs"], 2);
  EXPECT_EQ(json["tensors"][3]["nonfinite"], 1);
  EXPECT_EQ(json["tensors"][5]["result"], "shape");
  EXPECT_EQ(json["tensors"][5].count("max_abs"), 0);
  EXPECT_EQ(json["tensors"][7]["b"]["dtype"], "float32");
}

TEST(PrintDiffTest, DifferencesAreCounted) {
  FileDifference difference = MakeDifference();
  EXPECT_EQ(CountDifferences(difference), "3 settings and 6 of 8 tensors");
  EXPECT_FALSE(difference.is_equal());
  difference.settings.clear();
  difference.tensors.resize(1);
  EXPECT_EQ(CountDifferences(difference), "nothing");
  EXPECT_TRUE(difference.is_equal());
}

}  // namespace
}  // namespace modelport
