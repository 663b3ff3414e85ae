// The transforms of images give what their definitions say, whatever the size, dtype and batch of the image; saved and
// loaded they give the same bits, also for old runtimes.
#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/reflection_pad2d.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/goldens/golden_case.h"
#include "tests/layers/transform_module.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using torch::jit::Module;

using Shape = std::vector<int64_t>;

// Resizing of images by its definition, independent of models/transforms: each output is a sum over all inputs.

double Triangle(double d) { return std::max(0.0, 1 - std::abs(d)); }

// Keys' cubic convolution.
double Cubic(double d, double a) {
  d = std::abs(d);
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

using Filter = std::function<double(double)>;

// Weights [outputs, inputs] of a filter of the image that continues at its border for `reach` pixels.
at::Tensor Interpolation(int64_t outputs, int64_t inputs, const Filter& filter) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  const double scale = static_cast<double>(inputs) / outputs;
  const int64_t reach = std::ceil(scale) + 3;
  for (int64_t o = 0; o < outputs; ++o) {
    const double place = (o + 0.5) * scale - 0.5;
    for (int64_t i = -reach; i < inputs + reach; ++i) {
      w[o][std::clamp<int64_t>(i, 0, inputs - 1)] += filter(place - i);
    }
  }
  return weights;
}

// Weights of a filter that is as wide as an output where that is larger than an input.
at::Tensor Antialiased(int64_t outputs, int64_t inputs, const Filter& filter) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  const double scale = static_cast<double>(inputs) / outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) w[o][i] = filter(((i + 0.5) - (o + 0.5) * scale) / std::max(scale, 1.0));
  }
  return weights / weights.sum(1, true);
}

at::Tensor Area(int64_t outputs, int64_t inputs) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  // In units of 1 / outputs of an input, so that all is exact.
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      const int64_t covered = std::min((i + 1) * outputs, (o + 1) * inputs) - std::max(i * outputs, o * inputs);
      w[o][i] = static_cast<double>(std::max<int64_t>(covered, 0)) / inputs;
    }
  }
  return weights;
}

// OpenCV's interpolateCubic.
at::Tensor OpenCvCubic(int64_t outputs, int64_t inputs) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  constexpr float kA = -0.75f;
  for (int64_t o = 0; o < outputs; ++o) {
    const float place = (o + 0.5) * (static_cast<double>(inputs) / outputs) - 0.5;
    const float first = std::floor(place), x = place - first;
    float c[4];
    c[0] = ((kA * (x + 1) - 5 * kA) * (x + 1) + 8 * kA) * (x + 1) - 4 * kA;
    c[1] = ((kA + 2) * x - (kA + 3)) * x * x + 1;
    c[2] = ((kA + 2) * (1 - x) - (kA + 3)) * (1 - x) * (1 - x) + 1;
    c[3] = 1.f - c[0] - c[1] - c[2];
    for (int64_t k = 0; k < 4; ++k) {
      w[o][std::clamp<int64_t>(static_cast<int64_t>(first) + k - 1, 0, inputs - 1)] += c[k];
    }
  }
  return weights;
}

// The weights [outputs, inputs] of resizing along one side, in float64. `filter` is one of
//   bilinear, bicubic                          a = -0.75; the pixels of the border continue outside
//   antialiased bilinear, antialiased bicubic  a = -0.5; the filter ends at the border
//   area                                       the mean of what an output covers
//   opencv_cubic                               bicubic with places and weights in float32
at::Tensor ResizeWeights(int64_t outputs, int64_t inputs, const std::string& filter) {
  if (filter == "bilinear") return Interpolation(outputs, inputs, Triangle);
  if (filter == "bicubic") return Interpolation(outputs, inputs, [](double d) { return Cubic(d, -0.75); });
  if (filter == "antialiased bilinear") return Antialiased(outputs, inputs, Triangle);
  if (filter == "antialiased bicubic") return Antialiased(outputs, inputs, [](double d) { return Cubic(d, -0.5); });
  return filter == "area" ? Area(outputs, inputs) : OpenCvCubic(outputs, inputs);
}

// Resizes `image` [..., H, W] to [..., height, width] in float64.
at::Tensor ResizeByDefinition(const at::Tensor& image, int64_t height, int64_t width, const std::string& filter) {
  const at::Tensor rows = ResizeWeights(height, image.size(-2), filter);
  const at::Tensor columns = ResizeWeights(width, image.size(-1), filter);
  return at::matmul(at::matmul(rows, image.to(at::kDouble)), columns.t());
}

// This LibTorch and the oldest.
std::vector<const Runtime*> TestedRuntimes() { return {nullptr, &Runtimes().front()}; }

const Shape kBatches[] = {{3}, {2, 3}, {2, 2, 3}};
const at::ScalarType kDTypes[] = {at::kByte, at::kHalf, at::kFloat, at::kDouble};

// Calls `check` with the image of each batch shape and dtype and with what the transform makes of it. Makes sure that
// the loaded transform makes the same bits.
void ForEachImage(const std::string& call, const std::vector<Shape>& sizes,
                  const std::function<void(const at::Tensor& image, const at::Tensor& result)>& check) {
  const c10::InferenceMode inference;
  for (const Runtime* runtime : TestedRuntimes()) {
    ASSERT_OK_AND_ASSIGN(Module module, BuildTransform(call, runtime));
    ASSERT_OK_AND_ASSIGN(Module loaded, SavedAndLoaded(module, runtime));
    for (const Shape& size : sizes) {
      for (const at::ScalarType dtype : kDTypes) {
        for (Shape shape : kBatches) {
          shape.insert(shape.end(), size.begin(), size.end());
          const at::Tensor image = SeededImage(shape, dtype);
          SCOPED_TRACE(absl::StrCat(call, " of ", at::toString(dtype), " ", absl::StrJoin(shape, "x")));
          const at::Tensor result = module.forward({image}).toTensor();
          EXPECT_TRUE(loaded.forward({image}).toTensor().equal(result));
          check(image, result);
        }
      }
    }
  }
}

double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// What rounding may amount to. A result is twice a sum of at most 25 products, the absolute values of whose weights add
// up to at most 1.7; a result in half precision is rounded once more.
double Rounding(at::ScalarType dtype) {
  if (dtype == at::kDouble) return 100 * std::ldexp(1, -53);
  return dtype == at::kHalf ? std::ldexp(1, -10) : 100 * std::ldexp(1, -24);
}

// Whether values lie so near a half that rounding in float32 decides to which side they go.
at::Tensor IsHalf(const at::Tensor& values) { return ((values - values.floor()) - 0.5).abs() < 1e-3; }

// Compares a resized image in uint8 where no half decides. With antialias each step is rounded.
void ExpectRounded(const at::Tensor& image, const at::Tensor& result, const std::string& filter) {
  const int64_t height = result.size(-2), width = result.size(-1);
  at::Tensor between = ResizeByDefinition(image, image.size(-2), width, filter), undecided = at::zeros_like(between);
  if (absl::StartsWith(filter, "antialiased")) {
    undecided = IsHalf(between).to(at::kDouble);
    between = between.clamp(0, 255).round();
  }
  const at::Tensor exact = ResizeByDefinition(between, height, width, filter).clamp(0, 255);
  const at::Tensor reached = at::matmul(ResizeWeights(height, image.size(-2), filter).abs(), undecided) > 0;
  const at::Tensor skipped = IsHalf(exact).logical_or(reached);
  EXPECT_TRUE(result.to(at::kDouble).masked_fill(skipped, 0).equal(exact.round().masked_fill(skipped, 0)));
  EXPECT_LT(skipped.to(at::kDouble).mean().item<double>(), 0.95);
}

void ExpectResized(const at::Tensor& image, const at::Tensor& result, int64_t height, int64_t width,
                   const std::string& filter) {
  ASSERT_EQ(result.size(-2), height);
  ASSERT_EQ(result.size(-1), width);
  if (result.scalar_type() == at::kByte) return ExpectRounded(image, result, filter);
  EXPECT_LE(LargestDifference(result, ResizeByDefinition(image, height, width, filter)),
            Rounding(result.scalar_type()));
}

struct FilterCase {
  std::string definition;  // As ResizeByDefinition has it.
  std::string arguments;
};

class ResizeTest : public testing::TestWithParam<FilterCase> {};

// Enlarged and shrunk, by whole factors and others, images of one pixel and of one row.
TEST_P(ResizeTest, GivesWhatTheDefinitionSays) {
  const std::vector<Shape> sizes = {{7, 12}, {1, 1}, {1, 9}, {5, 4}, {14, 24}, {23, 31}, {40, 12}};
  ForEachImage(absl::StrCat("Resize(7, 12, ", GetParam().arguments, ")"), sizes,
               [&](const at::Tensor& image, const at::Tensor& result) {
                 EXPECT_EQ(result.scalar_type(), image.scalar_type());
                 ExpectResized(image, result, 7, 12, GetParam().definition);
               });
}

INSTANTIATE_TEST_SUITE_P(Filters, ResizeTest,
                         testing::Values(FilterCase{"bilinear", "filter=\"bilinear\", antialias=false"},
                                         FilterCase{"bicubic", "filter=\"bicubic\", antialias=false"},
                                         FilterCase{"antialiased bilinear", "filter=\"bilinear\""},
                                         FilterCase{"antialiased bicubic", "filter=\"bicubic\""},
                                         FilterCase{"area", "filter=\"area\""},
                                         FilterCase{"opencv_cubic", "filter=\"opencv_cubic\""}),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param.definition, {{" ", "_"}});
                         });

TEST(ResizeSidesTest, KeepTheAspect) {
  const auto expect = [](const std::string& call, const Shape& size, int64_t height, int64_t width) {
    ForEachImage(call, {size}, [&](const at::Tensor& image, const at::Tensor& result) {
      ExpectResized(image, result, height, width, "antialiased bilinear");
    });
  };
  // 8 * 31 / 23 = 10.78 is rounded down, and 17 * 23 / 31 = 12.6 up.
  expect("ResizeShorterSide(8)", {23, 31}, 8, 10);
  expect("ResizeShorterSide(8)", {31, 23}, 10, 8);
  expect("ResizeLongerSide(17)", {23, 31}, 13, 17);
  expect("ResizeLongerSide(4)", {1, 20}, 1, 4);
  // 22 / 7 = 3.1 is rounded, but 3 * 7 is less than 22.
  expect("ResizeLowerBound(22, 7)", {31, 23}, 28, 28);
}

// Upstream's own sizes. The images have one element each, which all their pixels share.
TEST(ResizeSidesTest, OfDepthAnythingV2AreUpstreams) {
  constexpr char kTypes[] = R"yaml(modules:
  Size():
    methods: |
      def forward(self, x: Tensor, size: int) -> List[int]:
        return lower_bound_size(x, size, 14)
)yaml";
  ASSERT_OK_AND_ASSIGN(Module module, BuildTransform("Size()", nullptr, kTypes));
  std::ifstream stream("models/transforms/testdata/references/transforms/resize_sizes.json");
  int compared = 0;
  const auto sizes = nlohmann::json::parse(stream);
  for (const auto& row : sizes.at("rows")) {
    const int64_t width = row.at("width"), height = row.at("height"), input_size = row.at("input_size");
    const at::Tensor image = at::zeros({1}).expand({3, height, width});
    const auto size = CatchTorch([&] { return module.forward({image, input_size}).toIntVector(); });
    if (std::max(width, height) > 32 * std::min(width, height)) {
      EXPECT_THAT(size.status().message(), HasSubstr("must not be more than 32 times as long as it is wide"));
      continue;
    }
    ASSERT_OK(size);
    EXPECT_THAT(*size, testing::ElementsAre(row.at("new_height"), row.at("new_width"))) << row;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// A picture in few pixels of every size up to 9 x 9 is cropped from, or padded to, 4 x 5.
TEST(CenterCropTest, TakesTheCentreOrAddsABorder) {
  std::vector<Shape> sizes;
  for (int64_t height = 1; height < 10; height += 2) {
    for (int64_t width = 1; width < 10; ++width) sizes.push_back({height, width});
  }
  ForEachImage("CenterCrop(4, 5)", sizes, [&](const at::Tensor& image, const at::Tensor& result) {
    const int64_t h = std::max<int64_t>(4 - image.size(-2), 0), w = std::max<int64_t>(5 - image.size(-1), 0);
    const at::Tensor padded = at::constant_pad_nd(image, {w / 2, (w + 1) / 2, h / 2, (h + 1) / 2});
    // Halves are rounded to even, as Python rounds.
    const int64_t top = std::nearbyint((padded.size(-2) - 4) / 2.0), left = std::nearbyint((padded.size(-1) - 5) / 2.0);
    EXPECT_TRUE(result.equal(padded.slice(-2, top, top + 4).slice(-1, left, left + 5)));
  });
}

// The same in float64 with one batch dimension, of which ATen's operators for padding know.
at::Tensor AsBatch(const at::Tensor& image) {
  return image.to(at::kDouble).reshape({-1, image.size(-3), image.size(-2), image.size(-1)});
}

TEST(PadTest, AddsEveryKindOfBorder) {
  const std::vector<Shape> sizes = {{5, 6}, {9, 5}};
  ForEachImage("Pad(1, 2, 3, 4, value=7.0)", sizes, [](const at::Tensor& image, const at::Tensor& result) {
    EXPECT_TRUE(result.equal(at::constant_pad_nd(image, {1, 3, 2, 4}, 7)));
  });
  ForEachImage("Pad(1, 2, 3, 4, mode=\"reflect\")", sizes, [](const at::Tensor& image, const at::Tensor& result) {
    EXPECT_TRUE(AsBatch(result).equal(at::reflection_pad2d(AsBatch(image), {1, 3, 2, 4})));
  });
  ForEachImage("Pad(8, mode=\"replicate\")", {{1, 1}, {5, 6}}, [](const at::Tensor& image, const at::Tensor& result) {
    EXPECT_TRUE(AsBatch(result).equal(at::replication_pad2d(AsBatch(image), {8, 8, 8, 8})));
  });
}

TEST(ConvertDtypeTest, ScalesAnImageInUint8) {
  const std::vector<Shape> sizes = {{5, 6}};
  for (const char* call : {"ConvertDtype()", "ConvertDtype(\"float64\")"}) {
    ForEachImage(call, sizes, [&](const at::Tensor& image, const at::Tensor& result) {
      EXPECT_EQ(result.scalar_type(), call == std::string("ConvertDtype()") ? at::kFloat : at::kDouble);
      const at::Tensor values = image.to(at::kDouble) / (image.scalar_type() == at::kByte ? 255 : 1);
      EXPECT_TRUE(result.equal(values.to(result.scalar_type())));
    });
  }
  ForEachImage("ConvertDtype(\"uint8\")", sizes, [](const at::Tensor& image, const at::Tensor& result) {
    EXPECT_EQ(result.scalar_type(), at::kByte);
    const bool is_byte = image.scalar_type() == at::kByte;
    EXPECT_LE(LargestDifference(result, image.to(at::kDouble) * (is_byte ? 1 : 255)), is_byte ? 0 : 1);
  });
  // In half precision 255.999 is 256, which uint8 does not have.
  ASSERT_OK_AND_ASSIGN(Module to_uint8, BuildTransform("ConvertDtype(\"uint8\")"));
  for (const at::ScalarType dtype : {at::kHalf, at::kFloat, at::kDouble}) {
    const at::Tensor image = at::tensor({-1.0, 0.0, 1.0, 300.0}, at::kDouble).reshape({1, 2, 2}).to(dtype);
    const at::Tensor expected = at::tensor({0, 0, 255, 255}, at::kByte).reshape({1, 2, 2});
    EXPECT_TRUE(to_uint8.forward({image}).toTensor().equal(expected));
  }
}

TEST(NormalizeTest, SubtractsAndDivides) {
  const c10::InferenceMode inference;
  ASSERT_OK_AND_ASSIGN(Module module, BuildTransform("Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])"));
  const at::Tensor mean = at::tensor({0.485, 0.456, 0.406}, at::kDouble).reshape({3, 1, 1});
  const at::Tensor std = at::tensor({0.229, 0.224, 0.225}, at::kDouble).reshape({3, 1, 1});
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor image = SeededImage({2, 3, 5, 6}, dtype), result = module.forward({image}).toTensor();
    EXPECT_EQ(result.scalar_type(), dtype);
    // Values up to 5, rounded twice.
    EXPECT_LE(LargestDifference(result, (image.to(at::kDouble) - mean) / std), 0.1 * Rounding(dtype));
  }
}

// What a transform says of an image that it cannot take.
std::string Refusal(const std::string& call, const at::Tensor& image) {
  absl::StatusOr<Module> module = BuildTransform(call);
  EXPECT_OK(module);
  const auto result = CatchTorch([&] { return module->forward({image}).toTensor(); });
  return std::string(result.status().message());
}

TEST(ClassLabelsTest, AreThoseOfImageNet) {
  const char* const labels = R"(modules:
  Labels():
    methods: |
      def forward(self, classes: int) -> List[str]:
        return class_labels(classes)
)";
  for (const Runtime* runtime : TestedRuntimes()) {
    ASSERT_OK_AND_ASSIGN(Module module, BuildTransform("Labels()", runtime, labels));
    ASSERT_OK_AND_ASSIGN(Module loaded, SavedAndLoaded(module, runtime));
    const c10::List<c10::IValue> names = loaded.forward({1000}).toList();
    ASSERT_EQ(names.size(), 1000u);
    EXPECT_EQ(names.get(0).toStringRef(), "tench");
    EXPECT_EQ(names.get(607).toStringRef(), "jack-o'-lantern");
    EXPECT_EQ(names.get(999).toStringRef(), "toilet tissue");
    EXPECT_TRUE(loaded.forward({10}).toList().empty());
  }
}

TEST(BadImagesTest, AreRefusedInASentence) {
  const at::Tensor grey = at::zeros({2, 1, 8, 8}), none = at::zeros({3, 0, 0}), line = at::zeros({3, 1, 33});
  constexpr char kNoImage[] = "the image must be [..., channels, height, width] with at least one pixel";
  constexpr char kDType[] = "the image must be uint8, 0 to 255, or floating, 0 to 1";
  for (const char* call :
       {"Resize(4, 4)", "ResizeShorterSide(4)", "ResizeLongerSide(4)", "ResizeLowerBound(4, 2)", "CenterCrop(2)",
        "Pad(1)", "ConvertDtype()", "EvaluationImage([0.0, 0, 0], [1.0, 1, 1])",
        "DepthAnythingV2Image([0.0, 0, 0], [1.0, 1, 1])", "DepthAnything3Image([0.0, 0, 0], [1.0, 1, 1])",
        "WholeImage([0.0, 0, 0], [1.0, 1, 1], 14)", "FixedSizeImage([0.0, 0, 0], [1.0, 1, 1], [4, 4])",
        "NormalizedImage([0.0, 0, 0], [1.0, 1, 1])"}) {
    SCOPED_TRACE(call);
    EXPECT_THAT(Refusal(call, none), HasSubstr(kNoImage));
    EXPECT_THAT(Refusal(call, at::zeros({8, 8})), HasSubstr(kNoImage));
    EXPECT_THAT(Refusal(call, at::zeros({3, 8, 8}, at::kInt)), HasSubstr(kDType));
  }
  for (const char* call :
       {"ResizeShorterSide(4)", "ResizeLowerBound(4, 2)", "EvaluationImage([0.0, 0, 0], [1.0, 1, 1])",
        "DepthAnythingV2Image([0.0, 0, 0], [1.0, 1, 1])"}) {
    EXPECT_THAT(Refusal(call, line), HasSubstr("must not be more than 32 times as long as it is wide")) << call;
  }
  for (const char* call : {"Normalize([0.0, 0, 0], [1.0, 1, 1])", "EvaluationImage([0.0, 0, 0], [1.0, 1, 1])",
                           "DepthAnything3Image([0.0, 0, 0], [1.0, 1, 1])"}) {
    EXPECT_THAT(Refusal(call, grey), HasSubstr("the image must have 3 channels")) << call;
  }
  EXPECT_THAT(Refusal("Pad(8, mode=\"reflect\")", grey), HasSubstr("reflected borders must be smaller than the image"));
  EXPECT_THAT(Refusal("Resize(4, 4, filter=\"lanczos\")", grey),
              HasSubstr("the filter must be bilinear, bicubic, area or opencv_cubic"));
  EXPECT_THAT(Refusal("Pad(1, mode=\"wrap\")", grey), HasSubstr("the mode must be constant, reflect or replicate"));
  EXPECT_THAT(Refusal("ConvertDtype(\"int8\")", grey), HasSubstr("the dtype must be float32, float64 or uint8"));
}

// A network without normalisation, with four channels and of a fixed size.
TEST(PresetsTest, TakeEveryKindOfPreprocessing) {
  const c10::InferenceMode inference;
  ASSERT_OK_AND_ASSIGN(Module plain, BuildTransform("FixedSizeImage([0.0, 0, 0, 0], [1.0, 1, 1, 1], [32, 48])"));
  const at::Tensor image = SeededImage({2, 4, 40, 50}, at::kFloat);
  EXPECT_LE(
      LargestDifference(plain.forward({image}).toTensor(), ResizeByDefinition(image, 32, 48, "antialiased bilinear")),
      Rounding(at::kFloat));
  ASSERT_OK_AND_ASSIGN(Module half, BuildTransform("WholeImage([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], 32)"));
  const at::Tensor rgb = SeededImage({3, 40, 50}, at::kFloat);
  EXPECT_LE(LargestDifference(half.forward({rgb, 64}).toTensor(),
                              ResizeByDefinition(rgb, 64, 64, "antialiased bicubic") * 2 - 1),
            2 * Rounding(at::kFloat));
}

// The transforms of images give what torchvision, Pillow, OpenCV and Depth Anything 3 give, which
// models/transforms/testdata/references/transforms/README.md describes.

// What upstream's rounding may amount to.
constexpr double kNone = 0;
// torchvision computes in float32: as Rounding() of tests/layers/transforms_test.cc.
constexpr double kFloat32 = 6e-6;
// The same after a division by a deviation of at least 0.224.
constexpr double kNormalized = kFloat32 / 0.224;
// One value of uint8, which values near a half may differ by: OpenCV sums in another order. torchvision's weights for
// uint8 have 16 bits, and it rounds once or twice.
constexpr double kLevel = 1;
constexpr double kNormalizedLevel = 1.001 / 255 / 0.224;

struct TransformCase {
  std::string name;  // Of the golden.
  std::string call;
  std::vector<int64_t> shape;
  at::ScalarType dtype;
  double tolerance;
  std::vector<c10::IValue> arguments = {};  // After the image.
  double share = 0.01;                      // Of the values that may differ by a level, where the tolerance is one.
};

const std::vector<int64_t> kSmall = {3, 23, 31};
constexpr char kBilinear[] = "Resize(9, 40)";
constexpr char kBilinearPlain[] = "Resize(9, 40, antialias=false)";
constexpr char kBicubic[] = "Resize(9, 40, filter=\"bicubic\")";
constexpr char kBicubicPlain[] = "Resize(9, 40, filter=\"bicubic\", antialias=false)";
constexpr char kImageNet[] = "EvaluationImage([0.485, 0.456, 0.406], [0.229, 0.224, 0.225], \"bilinear\", 40, 35)";
constexpr char kDinov2[] = "EvaluationImage([0.485, 0.456, 0.406], [0.229, 0.224, 0.225], \"bicubic\", 40, 35)";
constexpr char kDepthAnything3[] = "DepthAnything3Image([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])";

const TransformCase kTransformCases[] = {
    {"resize_bilinear_antialiased_float32", kBilinear, kSmall, at::kFloat, kFloat32},
    {"resize_bilinear_antialiased_uint8", kBilinear, kSmall, at::kByte, kLevel, {}, 0.2},
    {"resize_bilinear_plain_float32", kBilinearPlain, kSmall, at::kFloat, kFloat32},
    {"resize_bilinear_plain_uint8", kBilinearPlain, kSmall, at::kByte, kLevel, {}, 0.2},
    {"resize_bicubic_antialiased_float32", kBicubic, kSmall, at::kFloat, kFloat32},
    {"resize_bicubic_plain_float32", kBicubicPlain, kSmall, at::kFloat, kFloat32},
    {"pillow_bilinear", kBilinear, kSmall, at::kByte, kNone},
    {"pillow_bilinear_halved", "Resize(23, 30)", {3, 46, 60}, at::kByte, kNone},
    {"pillow_bicubic", kBicubic, kSmall, at::kByte, kNone},
    {"pillow_bicubic_shrunk", "Resize(13, 11, \"bicubic\")", {3, 45, 60}, at::kByte, kNone},
    {"resize_shorter_side", "ResizeShorterSide(17)", {2, 3, 45, 29}, at::kFloat, kFloat32},
    {"resize_shorter_side_wide", "ResizeShorterSide(30, \"bicubic\")", {3, 23, 62}, at::kFloat, kFloat32},
    {"center_crop", "CenterCrop(10, 16)", kSmall, at::kFloat, kNone},
    {"center_crop_odd", "CenterCrop(13, 16)", {3, 24, 31}, at::kByte, kNone},
    {"center_crop_larger", "CenterCrop(30, 16)", kSmall, at::kFloat, kNone},
    {"pad_constant", "Pad(1, 2, 3, 4, value=0.5)", kSmall, at::kFloat, kNone},
    {"pad_reflect", "Pad(1, 2, 3, 4, \"reflect\")", {2, 3, 6, 7}, at::kFloat, kNone},
    {"pad_replicate", "Pad(1, 2, 3, 4, \"replicate\")", kSmall, at::kByte, kNone},
    {"to_float", "ConvertDtype()", kSmall, at::kByte, kFloat32},
    {"to_uint8", "ConvertDtype(\"uint8\")", kSmall, at::kFloat, kNone},
    {"normalize", "Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])", kSmall, at::kFloat, kNormalized},
    {"evaluation_imagenet", kImageNet, {2, 3, 45, 60}, at::kFloat, kNormalized},
    {"evaluation_imagenet_uint8", kImageNet, {3, 60, 45}, at::kByte, kNormalizedLevel, {}, 0.2},
    {"evaluation_dinov2", kDinov2, {3, 60, 45}, at::kFloat, kNormalized},
    {"evaluation_imagenet_pillow", kImageNet, {3, 60, 45}, at::kByte, kNormalized},
    {"evaluation_dinov2_pillow", kDinov2, {3, 45, 60}, at::kByte, kNormalized},
    {"opencv_cubic_float64", "Resize(40, 19, \"opencv_cubic\")", kSmall, at::kDouble, kNone},
    {"opencv_cubic_float32", "Resize(40, 19, \"opencv_cubic\")", kSmall, at::kFloat, kFloat32},
    {"opencv_cubic_uint8", "Resize(52, 70, \"opencv_cubic\")", {3, 45, 60}, at::kByte, kLevel},
    {"opencv_area_uint8", "Resize(31, 42, \"area\")", {3, 45, 60}, at::kByte, kLevel},
    {"opencv_area_uint8_halved", "Resize(23, 30, \"area\")", {3, 46, 60}, at::kByte, kNone},
    {"opencv_area_uint8_third", "Resize(15, 20, \"area\")", {3, 45, 60}, at::kByte, kLevel},
    {"opencv_area_enlarged", "Resize(40, 50, \"area\")", kSmall, at::kFloat, kFloat32},
    {"opencv_area_float32", "Resize(31, 42, \"area\")", {3, 45, 60}, at::kFloat, kFloat32},
    {"depth_anything_3_enlarged", kDepthAnything3, {3, 45, 60}, at::kByte, kNormalizedLevel, {70}},
    {"depth_anything_3_shrunk", kDepthAnything3, {3, 131, 77}, at::kByte, kNormalizedLevel, {84}},
    {"depth_anything_3_exact", kDepthAnything3, {3, 56, 42}, at::kByte, kNormalized, {56}},
};

// Of a large tensor, NAME, the goldens have every seventh element, which are of all channels, rows and columns, and the
// whole shape, NAME.shape.
constexpr char kShape[] = ".shape";
constexpr int64_t kEvery = 7;

class TransformGoldenTest : public testing::TestWithParam<TransformCase> {};

TEST_P(TransformGoldenTest, GivesWhatUpstreamGives) {
  const c10::InferenceMode inference;
  const TransformCase& test = GetParam();
  ASSERT_OK_AND_ASSIGN(const auto goldens,
                       ReadTensors("models/transforms/testdata/references/transforms/transforms.safetensors"));
  ASSERT_OK_AND_ASSIGN(Module module, BuildTransform(test.call));
  std::vector<c10::IValue> arguments = {SeededImage(test.shape, test.dtype)};
  arguments.insert(arguments.end(), test.arguments.begin(), test.arguments.end());
  at::Tensor actual = module.forward(arguments).toTensor();
  const at::Tensor expected = goldens.at(test.name);
  if (const auto shape = goldens.find(test.name + kShape); shape != goldens.end()) {
    EXPECT_EQ(actual.sizes(), at::IntArrayRef(shape->second.const_data_ptr<int64_t>(), shape->second.numel()));
    actual = actual.flatten().slice(0, 0, c10::nullopt, kEvery);
  }
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_EQ(actual.scalar_type(), expected.scalar_type());
  const at::Tensor difference = (actual.to(at::kDouble) - expected.to(at::kDouble)).abs();
  EXPECT_LE(difference.max().item<double>(), test.tolerance);
  const bool is_level = test.tolerance == kLevel || test.tolerance == kNormalizedLevel;
  const double share = difference.gt(kNormalized).to(at::kDouble).mean().item<double>();
  if (is_level) {
    EXPECT_LE(share, test.share);
  }
  std::printf("%s: %.1e, %.4f of the values by more than rounding\n", test.name.c_str(),
              difference.max().item<double>(), share);
}

INSTANTIATE_TEST_SUITE_P(All, TransformGoldenTest, testing::ValuesIn(kTransformCases),
                         [](const auto& info) { return info.param.name; });

TEST(TransformGoldensTest, AreAllUsed) {
  ASSERT_OK_AND_ASSIGN(const auto goldens,
                       ReadTensors("models/transforms/testdata/references/transforms/transforms.safetensors"));
  size_t cases = 0;
  for (const auto& golden : goldens) cases += !golden.first.ends_with(kShape);
  EXPECT_EQ(cases, std::size(kTransformCases));
}

}  // namespace
}  // namespace modelport
