#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/io/writer.h"
#include "common/progress/progress.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Logs the calls; `status` is what they return.
class Log : public Writer {
 public:
  absl::Status Write(absl::string_view bytes) override {
    calls.push_back(absl::StrCat("Write ", bytes));
    return status;
  }

  absl::Status WriteLasting(absl::string_view bytes) override {
    calls.push_back(absl::StrCat("WriteLasting ", bytes));
    return status;
  }

  std::vector<std::string> calls;
  absl::Status status;
};

class ProgressWriterTest : public testing::Test {
 protected:
  // A screen on which each call of Progress::Add draws.
  ProgressScreen Screen() {
    ProgressScreen screen;
    screen.write = [this](absl::string_view text) { drawn_.emplace_back(text); };
    screen.now = [this] { return now_ += absl::Seconds(1); };
    return screen;
  }

  absl::Time now_ = absl::UnixEpoch();
  std::vector<std::string> drawn_;
};

TEST_F(ProgressWriterTest, WritesAndCountsBytesOfBothKinds) {
  Progress progress("write", 0, Screen());
  Log log;
  ProgressWriter writer(log, progress);
  EXPECT_OK(writer.Write("abc"));
  EXPECT_OK(writer.WriteLasting("defgh"));
  EXPECT_THAT(log.calls, ElementsAre("Write abc", "WriteLasting defgh"));
  EXPECT_THAT(drawn_, ElementsAre(HasSubstr("write  3 B, "), HasSubstr("write  8 B, ")));
}

TEST_F(ProgressWriterTest, ReturnsAnErrorOfTheWrappedWriter) {
  Progress progress("write", 0, Screen());
  Log log;
  log.status = absl::ResourceExhaustedError("full");
  ProgressWriter writer(log, progress);
  EXPECT_THAT(writer.Write("abc"), StatusIs(absl::StatusCode::kResourceExhausted, "full"));
  EXPECT_THAT(writer.WriteLasting("abc"), StatusIs(absl::StatusCode::kResourceExhausted, "full"));
}

}  // namespace
}  // namespace modelport
