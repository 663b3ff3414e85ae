#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <limits>
#include <string>
#include <vector>

#include "common/torchscript/proof/compare_outputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::string> Names(const c10::IValue& output) {
  std::vector<std::string> names;
  for (const NonfiniteOutput& found : FindNonfinite(output, "f")) names.push_back(found.name);
  return names;
}

TEST(FindNonfiniteTest, CountsNanAndInfinityApart) {
  const at::Tensor values = at::tensor({1.0f, kNan, kInfinity, -kInfinity, 0.0f});
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    const std::vector<NonfiniteOutput> found = FindNonfinite(values.to(type), "f");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "f");
    EXPECT_EQ(found[0].elements, 5);
    EXPECT_EQ(found[0].nan, 1);
    EXPECT_EQ(found[0].infinite, 2);
  }
}

TEST(FindNonfiniteTest, NamesTheTensorsOfStructures) {
  const at::Tensor good = at::ones({2}), bad = at::full({2}, kNan);
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("depth", bad);
  dict.insert("sky", good);
  EXPECT_THAT(Names(dict), ElementsAre("f[depth]"));
  c10::Dict<int64_t, at::Tensor> numbered;
  numbered.insert(7, bad);
  EXPECT_THAT(Names(numbered), ElementsAre("f[7]"));
  const c10::IValue pair = c10::ivalue::Tuple::create({good, bad});
  EXPECT_THAT(Names(pair), ElementsAre("f[1]"));
  EXPECT_THAT(Names(c10::ivalue::Tuple::create({pair, c10::List<at::Tensor>({bad, good, bad})})),
              ElementsAre("f[0][1]", "f[1][0]", "f[1][2]"));
}

TEST(FindNonfiniteTest, OtherValuesAreNotListed) {
  EXPECT_THAT(Names(at::empty({0})), IsEmpty());
  EXPECT_THAT(Names(at::arange(3)), IsEmpty());
  EXPECT_THAT(Names(1.5), IsEmpty());
  EXPECT_THAT(Names(c10::IValue()), IsEmpty());
}

}  // namespace
}  // namespace modelport
