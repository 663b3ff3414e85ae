#include "common/torchscript/lint/held_tensors.h"

#include <ATen/core/List.h>
#include <ATen/ops/ones.h>

#include <tuple>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(HeldTensorsTest, FindsTensorsInLists) {
  const at::Tensor a = at::ones({1}), b = at::ones({2});
  EXPECT_EQ(HeldTensors(a).size(), 1);
  EXPECT_EQ(HeldTensors(c10::List<at::Tensor>({a, b, a, at::Tensor()})).size(), 2);
  EXPECT_EQ(HeldTensors(3).size(), 0);
}

TEST(HeldTensorsTest, VisitsSharedValuesOnce) {
  c10::IValue value = at::ones({1});
  for (int i = 0; i < 60; ++i) value = c10::ivalue::Tuple::create(value, value);
  EXPECT_EQ(HeldTensors(value).size(), 1);
}

}  // namespace
}  // namespace modelport
