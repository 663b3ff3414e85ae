// Artifacts for Nuke in half, bfloat16 and double precision.
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/torchscript/proof/compare_outputs.h"
#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ValuesIn;

// The error that half precision may have, as a part of the range.
constexpr double kHalfTolerance = 0.005;

class NukePrecisionTest : public testing::TestWithParam<std::string> {};

// The wrapper of normals brings them to length 1, which rounds.
std::vector<std::string> ModelsWithoutNormals() {
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names, IsNormals);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, NukePrecisionTest, ValuesIn(ModelsWithoutNormals()),
                         [](const auto& info) { return info.param; });

// Without padding and resizing, both artifacts run the same kernels on the same numbers.
TEST_P(NukePrecisionTest, IsTheModelsOwnToTheBit) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    NukeModel model = GetNukeModel(GetParam());
    model.nuke.to(type);
    model.plain.to(type);
    const at::Tensor image = SeededImage(1, 3, 3 * model.multiple_of(), 2 * model.multiple_of()).to(type);
    const at::Tensor output = model.Run(image);
    EXPECT_EQ(output.scalar_type(), type);
    EXPECT_TRUE(output.isfinite().all().item<bool>());
    EXPECT_TRUE(BitwiseEqual(model.RunPlain(model.Normalised(image)), output)) << type;
  }
}

// Whether `name` gives nearly one value everywhere.
bool IsNearlyFlat(const std::string& name) { return HasNearestDepth(name) || IsClassMap(name); }

// Those of whose output no threshold decides in one precision only.
std::vector<std::string> ModelsWithoutThresholds() {
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names,
                [](const std::string& name) { return FillsSky(name) || IsNearlyFlat(name) || FindsCamera(name); });
  return names;
}

TEST(NukeFlatTest, HalfIsNearFloat) {
  // What verify grants float16: 16 of its epsilon, of the largest element.
  constexpr double kTolerance = 16 * 0x1p-10;
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names, [](const std::string& name) { return !IsNearlyFlat(name); });
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    NukeModel wide = GetNukeModel(name), half = Half(wide);
    const at::Tensor image = SeededImage(1, 3, 31, 45);
    const at::Tensor expected = wide.Run(image), output = half.Run(image.to(at::kHalf));
    EXPECT_LE(PartOfLargest(expected, output), kTolerance) << name;
  }
}

class NukeHalfTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, NukeHalfTest, ValuesIn(ModelsWithoutThresholds()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeHalfTest, HalfIsNearFloat) {
  NukeModel wide = GetNukeModel(GetParam()), half = Half(wide);
  const at::Tensor image = SeededImage(1, 3, 31, 45);
  for (const int64_t max_size : {1008, 42}) {
    const at::Tensor expected = wide.Run(image, {{"max_size", max_size}});
    const at::Tensor output = half.Run(image.to(at::kHalf), {{"max_size", max_size}});
    EXPECT_LE(RelativeDifference(expected, output), kHalfTolerance) << max_size;
  }
}

}  // namespace
}  // namespace modelport
