// GoogleTest matchers for absl::Status and absl::StatusOr, spelled as in newer Abseil releases.
//
//   EXPECT_THAT(Open("missing"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
//   EXPECT_THAT(Open("file"), IsOk());
#ifndef MODELPORT_COMMON_STATUS_STATUS_MATCHERS_H_
#define MODELPORT_COMMON_STATUS_STATUS_MATCHERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& value) {
  return value.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << GetStatus(arg).ToString();
  return GetStatus(arg).ok();
}

MATCHER_P2(StatusIs, code, message, "has the given code and message") {
  *result_listener << GetStatus(arg).ToString();
  return GetStatus(arg).code() == code &&
         testing::ExplainMatchResult(message, std::string(GetStatus(arg).message()), result_listener);
}

}  // namespace modelport

#define ASSERT_OK(expr) ASSERT_THAT(expr, ::modelport::IsOk())
#define EXPECT_OK(expr) EXPECT_THAT(expr, ::modelport::IsOk())

// Assigns the value of a StatusOr, or fails the test.
#define ASSERT_OK_AND_ASSIGN(lhs, expr) \
  MODELPORT_ASSERT_OK_AND_ASSIGN_(MODELPORT_TEST_CONCAT_(modelport_status_or_, __COUNTER__), lhs, expr)
#define MODELPORT_ASSERT_OK_AND_ASSIGN_(value, lhs, expr) \
  auto value = (expr);                                    \
  ASSERT_OK(value);                                       \
  lhs = *std::move(value)
#define MODELPORT_TEST_CONCAT_(a, b) MODELPORT_TEST_CONCAT_INNER_(a, b)
#define MODELPORT_TEST_CONCAT_INNER_(a, b) a##b

#endif  // MODELPORT_COMMON_STATUS_STATUS_MATCHERS_H_
