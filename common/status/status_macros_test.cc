#include "common/status/status_macros.h"

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Its member has a name that a macro might choose for its variable.
class Step {
 public:
  explicit Step(absl::Status status) : status_(std::move(status)) {}

  absl::Status Run() const {
    RETURN_IF_ERROR(status_);
    return absl::InternalError("went on");
  }

 private:
  absl::Status status_;
};

TEST(StatusMacrosTest, AVariableMayHaveAnyName) {
  EXPECT_THAT(Step(absl::InvalidArgumentError("wrong")).Run(), StatusIs(kInvalid, "wrong"));
  EXPECT_THAT(Step(absl::OkStatus()).Run(), StatusIs(absl::StatusCode::kInternal, "went on"));
}

absl::StatusOr<int> Half(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return number / 2;
}

// Has uses within uses, and two uses on one line.
absl::StatusOr<int> Eighth(int number) {
  ASSIGN_OR_RETURN(const int quarter, [number]() -> absl::StatusOr<int> {
    // clang-format off
    ASSIGN_OR_RETURN(const int half, Half(number)); ASSIGN_OR_RETURN(const int result, Half(half));
    // clang-format on
    return result;
  }());
  RETURN_IF_ERROR([quarter] {
    RETURN_IF_ERROR(Half(quarter).status());
    return absl::OkStatus();
  }());
  return Half(quarter);
}

TEST(StatusMacrosTest, NestAndShareALine) {
  ASSERT_OK_AND_ASSIGN(const int one, Eighth(8));
  EXPECT_EQ(one, 1);
  for (const int number : {1, 2, 4}) EXPECT_THAT(Eighth(number), StatusIs(kInvalid, "odd")) << number;
}

TEST(StatusMacrosTest, MayStandBeforeAnElse) {
  const auto run = [](bool checks) -> absl::Status {
    if (checks)
      RETURN_IF_ERROR(Half(1).status());
    else
      return absl::InternalError("else");
    return absl::OkStatus();
  };
  EXPECT_THAT(run(true), StatusIs(kInvalid, "odd"));
  EXPECT_THAT(run(false), StatusIs(absl::StatusCode::kInternal, "else"));
}

}  // namespace
}  // namespace modelport
