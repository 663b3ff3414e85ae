#include "common/status/catch_exceptions.h"

#include <new>
#include <stdexcept>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(CatchExceptionsTest, ReturnsTheStatusUnchanged) {
  EXPECT_OK(CatchExceptions([] { return absl::OkStatus(); }));
  EXPECT_THAT(CatchExceptions([] { return absl::NotFoundError("a.pth"); }),
              StatusIs(absl::StatusCode::kNotFound, "a.pth"));
}

TEST(CatchExceptionsTest, AnExceptionBecomesAStatus) {
  EXPECT_THAT(CatchExceptions([]() -> absl::Status { throw std::bad_array_new_length(); }),
              StatusIs(absl::StatusCode::kResourceExhausted, "out of memory"));
  EXPECT_THAT(CatchExceptions([]() -> absl::Status { throw std::out_of_range("index 7"); }),
              StatusIs(absl::StatusCode::kInternal, "a bug in Modelport, please report it: index 7"));
}

}  // namespace
}  // namespace modelport
