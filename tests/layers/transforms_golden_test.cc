// The transforms of images give what torchvision, Pillow, OpenCV and Depth Anything 3 give, which
// models/transforms/testdata/references/transforms/README.md describes.
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/goldens/golden_case.h"
#include "tests/layers/transform_module.h"

namespace modelport {
namespace {

using torch::jit::Module;

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

class TransformGoldenTest : public testing::TestWithParam<TransformCase> {};

TEST_P(TransformGoldenTest, GivesWhatUpstreamGives) {
  const c10::InferenceMode inference;
  const TransformCase& test = GetParam();
  ASSERT_OK_AND_ASSIGN(const auto goldens,
                       ReadTensors("models/transforms/testdata/references/transforms/transforms.safetensors"));
  ASSERT_OK_AND_ASSIGN(Module module, BuildTransform(test.call));
  std::vector<c10::IValue> arguments = {SeededImage(test.shape, test.dtype)};
  arguments.insert(arguments.end(), test.arguments.begin(), test.arguments.end());
  const at::Tensor actual = module.forward(arguments).toTensor(), expected = goldens.at(test.name);
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
  EXPECT_EQ(goldens.size(), std::size(kTransformCases));
}

}  // namespace
}  // namespace modelport
