#include "common/torchscript/parity/slice.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(SliceTest, TakesWhatNumpyTakes) {
  const at::Tensor tensor = at::arange(24).view({2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const at::Tensor slice, Slice(tensor, "[0:1, ::2, 1:]"));
  EXPECT_TRUE(slice.equal(at::tensor({1, 2, 3, 9, 10, 11}).view({1, 2, 3})));
  ASSERT_OK_AND_ASSIGN(const at::Tensor whole, Slice(tensor, ""));
  EXPECT_TRUE(whole.equal(tensor));
}

TEST(SliceTest, OtherFormsAreErrors) {
  for (const char* slice : {"0:1", "[0]", "[0:1:2:3]", "[::0]", "[-1:]", "[a:]", "[:, :]", "[]"}) {
    EXPECT_THAT(Slice(at::arange(3), slice), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("slice")))
        << slice;
  }
}

}  // namespace
}  // namespace modelport
