#include "common/progress/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "common/text/units.h"

namespace modelport {
namespace {

constexpr int kBarWidth = 24;
constexpr absl::Duration kRedraw = absl::Milliseconds(100);
constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace

std::string ProgressLine(const std::string& step, int64_t done, int64_t total, absl::Duration elapsed) {
  const double part = total > 0 ? std::min(1.0, static_cast<double>(done) / total) : 0;
  const int filled = static_cast<int>(part * kBarWidth);
  std::string line = absl::StrFormat("%-6s [%s%s] %s of %s", step, std::string(filled, '#'),
                                     std::string(kBarWidth - filled, '.'), FormatBytes(done), FormatBytes(total));
  const double seconds = absl::ToDoubleSeconds(elapsed);
  if (done <= 0 || seconds <= 0) return line;
  const double rate = done / seconds;
  absl::StrAppend(&line, ", ", FormatBytes(rate), "/s, ", FormatSeconds(std::max<int64_t>(0, total - done) / rate),
                  " left");
  return line;
}

Progress::Progress(std::string step, int64_t total)
    : on_terminal_(isatty(STDERR_FILENO)), step_(std::move(step)), total_(total), start_(absl::Now()) {}

Progress::~Progress() {
  if (drawn_ != absl::InfinitePast()) std::fputs(kEraseLine, stderr);
}

void Progress::Add(int64_t bytes) {
  if (!on_terminal_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ += bytes;
  const absl::Time now = absl::Now();
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  std::fputs(absl::StrCat(kEraseLine, ProgressLine(step_, done_, total_, now - start_)).c_str(), stderr);
}

}  // namespace modelport
