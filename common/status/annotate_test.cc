#include "common/status/annotate.h"

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(AnnotateTest, PutsTheContextInFrontOfAFailure) {
  EXPECT_THAT(Annotate(Annotate(absl::DataLossError("byte 12"), "data.pkl"), "vits.pth"),
              StatusIs(absl::StatusCode::kDataLoss, "vits.pth: data.pkl: byte 12"));
}

TEST(AnnotateTest, ReturnsAnOkStatusUnchanged) { EXPECT_OK(Annotate(absl::OkStatus(), "vits.pth")); }

}  // namespace
}  // namespace modelport
