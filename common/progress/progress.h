#ifndef MODELPORT_COMMON_PROGRESS_PROGRESS_H_
#define MODELPORT_COMMON_PROGRESS_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace modelport {

// Where a progress bar is drawn.
struct ProgressScreen {
  std::function<void(absl::string_view)>
      write;  // Takes text and terminal control codes; empty if nothing is to be drawn.
  int columns = 80;
  std::function<absl::Time()> now = absl::Now;
};

// The terminal that stderr is, or a screen that draws nothing if it is none.
ProgressScreen StderrScreen();

// The text of a progress bar, at most `columns` long: step, bar, bytes, rate and time left. Without a `total`, which is
// then 0, there is no bar and no time left.
std::string ProgressLine(absl::string_view step, int64_t done, int64_t total, absl::Duration elapsed, int columns);

// The progress bar of one step of long work:
//
//   Progress progress("write", size);
//   while (...) progress.Add(WriteSome());
//
// It appears after a tenth of a second, is drawn anew at most ten times a second, and is erased at the end.
class Progress {
 public:
  // Expects `total` bytes, or any number if it is 0.
  Progress(absl::string_view step, int64_t total, ProgressScreen screen = StderrScreen());
  ~Progress() { Finish(); }

  // Another `bytes` are done. Any thread may call this.
  void Add(int64_t bytes);

  // Erases the bar. Nothing is drawn afterwards.
  void Finish();

 private:
  const std::string step_;
  const int64_t total_;
  const absl::Time start_;
  std::atomic<int64_t> done_ = 0;
  std::mutex mutex_;  // Of all below.
  ProgressScreen screen_;
  absl::Time drawn_;
  bool visible_ = false;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_PROGRESS_PROGRESS_H_
