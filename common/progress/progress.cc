#include "common/progress/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/units.h"

namespace modelport {
namespace {

constexpr int kBarWidth = 24;
constexpr absl::Duration kRedraw = absl::Milliseconds(100);
constexpr char kEraseLine[] = "\r\x1b[K";

std::string Bar(int64_t done, int64_t total) {
  const int filled = kBarWidth * std::min(1.0, static_cast<double>(done) / total);
  return absl::StrCat("[", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), "] ");
}

void WriteToStderr(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressScreen StderrScreen() {
  ProgressScreen screen;
  const char* const terminal = std::getenv("TERM");
  if (!isatty(STDERR_FILENO) || terminal == nullptr || terminal == absl::string_view("dumb")) return screen;
  screen.write = WriteToStderr;
  winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) screen.columns = size.ws_col;
  return screen;
}

std::string ProgressLine(absl::string_view step, int64_t done, int64_t total, absl::Duration elapsed, int columns,
                         absl::string_view unit) {
  std::string line = absl::StrFormat("%-6s ", step);
  if (total > 0) absl::StrAppend(&line, Bar(done, total));
  const auto amount = [&](int64_t count) { return unit.empty() ? FormatBytes(count) : Counted(count, unit); };
  absl::StrAppend(&line, total > 0 && !unit.empty() ? absl::StrCat(done) : amount(done));
  if (total > 0) absl::StrAppend(&line, " of ", amount(total));
  const double seconds = absl::ToDoubleSeconds(elapsed);
  if (done > 0 && seconds > 0) {
    const double rate = done / seconds;
    if (unit.empty()) absl::StrAppend(&line, ", ", FormatBytes(rate), "/s");
    if (!unit.empty()) absl::StrAppend(&line, ", ", FormatSeconds(1 / rate), " each");
    if (total > 0) absl::StrAppend(&line, ", ", FormatSeconds(std::max<int64_t>(0, total - done) / rate), " left");
  }
  return line.substr(0, std::max(0, columns));
}

Progress::Progress(absl::string_view step, int64_t total, ProgressScreen screen, absl::string_view unit)
    : step_(step), unit_(unit), total_(total), start_(screen.now()), screen_(std::move(screen)), drawn_(start_) {}

void Progress::Draw(absl::Time now) {
  drawn_ = now;
  visible_ = true;
  // A terminal wraps a line that fills it.
  screen_.write(absl::StrCat(kEraseLine, ProgressLine(step_, done_, total_, now - start_, screen_.columns - 1, unit_)));
}

void Progress::Show() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (screen_.write) Draw(screen_.now());
}

void Progress::Add(int64_t count) {
  done_ += count;
  // Skip this redraw if another thread is drawing.
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !screen_.write) return;
  const absl::Time now = screen_.now();
  if (now - drawn_ < kRedraw) return;
  Draw(now);
}

void Progress::Finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (visible_) screen_.write(kEraseLine);
  visible_ = false;
  screen_.write = nullptr;
}

}  // namespace modelport
