#include "common/torchscript/script/torch_status.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/status/status_matchers.h"
#include "common/torchscript/script/testing/ignore_leaks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

MATCHER(IsDivisionError, "") { return GetStatus(arg) == DivisionError(); }

TEST(CatchTorchTest, ReturnsWhatTheFunctionReturns) {
  ASSERT_OK_AND_ASSIGN(const std::string text, CatchTorch([] { return std::string("text"); }));
  EXPECT_EQ(text, "text");
  EXPECT_OK(CatchTorch([] {}));
}

TEST(CatchTorchTest, ExceptionsBecomeStatuses) {
  EXPECT_THAT(CatchTorch([] { throw std::runtime_error(" wrong\n"); }), StatusIs(absl::StatusCode::kInternal, "wrong"));
  EXPECT_THAT(CatchTorch([]() -> int { throw std::bad_alloc(); }),
              StatusIs(absl::StatusCode::kResourceExhausted, "out of memory"));
  EXPECT_THAT(CatchTorch([] { at::empty({3}).reshape({2}); }),
              StatusIs(absl::StatusCode::kInternal, "shape '[2]' is invalid for input of size 3"));
  EXPECT_THAT(CatchTorch([] { throw std::runtime_error("err == 0. DefaultCPUAllocator: can't allocate memory: 9"); }),
              StatusIs(absl::StatusCode::kResourceExhausted, "out of memory"));
}

// LibTorch's own message: this test fails if a later release words it otherwise.
TEST(CatchTorchTest, MemoryThatIsLackingIsTold) {
  EXPECT_THAT(CatchTorch([] { at::empty({int64_t{1} << 60}, at::kByte); }),
              StatusIs(absl::StatusCode::kResourceExhausted, "out of memory: one tensor wants 1152922 TB"));
}

// LibTorch's `//` and `%` trap.
TEST(CatchTorchTest, ADivisionThatTrapsIsAnError) {
  [[maybe_unused]] const IgnoreLeaks ignore_leaks;
  torch::jit::CompilationUnit unit;
  unit.define(std::nullopt, R"(
    def floor(a: int, b: int) -> int:
      return a // b

    def rest(a: int, b: int) -> int:
      return a % b
  )",
              torch::jit::nativeResolver(), nullptr);
  for (const std::string name : {"floor", "rest"}) {
    const auto divide = [&](int64_t a, int64_t b) {
      return CatchTorch([&] { return unit.get_function(name)({a, b}).toInt(); });
    };
    EXPECT_THAT(divide(kSmallest, -1), IsDivisionError()) << name;
    EXPECT_OK(divide(kSmallest, 2)) << name;
  }
  // LibTorch checks for zero in `//` only.
  EXPECT_THAT(CatchTorch([&] { unit.get_function("rest")({1, 0}); }), IsDivisionError());
}

// `volatile` makes the program divide at run time. --config=asan would report the division before it traps.
__attribute__((no_sanitize("undefined"))) void Divide(int64_t a, int64_t b) {
  volatile int64_t divisor = b, quotient = a;
  quotient = quotient / divisor;
}

TEST(CatchTorchTest, CallsMayNestAndRunOnManyThreads) {
  absl::Status inner;
  const absl::Status outer = CatchTorch([&] {
    inner = CatchTorch([] { Divide(kSmallest, -1); });
    Divide(kSmallest, -1);
  });
  EXPECT_THAT(inner, IsDivisionError());
  EXPECT_THAT(outer, IsDivisionError());
  absl::Status other;
  std::thread([&] { other = CatchTorch([] { Divide(kSmallest, -1); }); }).join();
  EXPECT_THAT(other, IsDivisionError());
}

TEST(CatchTorchDeathTest, ADivisionElsewhereEndsTheProcessAsBefore) {
  EXPECT_OK(CatchTorch([] {}));
  EXPECT_DEATH(Divide(kSmallest, -1), "");
}

}  // namespace
}  // namespace modelport
