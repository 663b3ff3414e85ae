#ifndef MODELPORT_COMMON_PROGRESS_PROGRESS_H_
#define MODELPORT_COMMON_PROGRESS_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/io/writer.h"

namespace modelport {

// Where a progress bar is drawn.
struct ProgressScreen {
  // Takes text with terminal control codes. If it is empty, nothing is drawn.
  std::function<void(absl::string_view)> write;
  int columns = 80;
  std::function<absl::Time()> now = absl::Now;
};

// Draws on stderr if that is a terminal; otherwise draws nothing.
ProgressScreen StderrScreen();

// The text of a progress bar, at most `columns` long: step, bar, bytes, rate and time left. If `total` is 0, that is,
// unknown, there is no bar and no time left. `unit` is what is counted in the place of bytes, "image"; "" for bytes.
std::string ProgressLine(absl::string_view step, int64_t done, int64_t total, absl::Duration elapsed, int columns,
                         absl::string_view unit = "");

// The progress bar of one step of long work:
//
//   Progress progress("write", size);
//   while (...) progress.Add(WriteSome());
//
// It appears after a tenth of a second, is drawn anew at most ten times a second, and is erased at the end.
class Progress {
 public:
  // Expects `total` bytes, or things called `unit`; 0 means that the number is unknown.
  Progress(absl::string_view step, int64_t total, ProgressScreen screen = StderrScreen(), absl::string_view unit = "");
  ~Progress() { Finish(); }

  // Draws the bar at once, for work whose first step takes long.
  void Show();

  // Adds `count` bytes, or things of the unit, to those that are done. Any thread may call this.
  void Add(int64_t count);

  // Erases the bar. Nothing is drawn afterwards.
  void Finish();

 private:
  // Draws the bar. The caller holds the mutex.
  void Draw(absl::Time now);

  const std::string step_, unit_;
  const int64_t total_;
  const absl::Time start_;
  std::atomic<int64_t> done_ = 0;
  std::mutex mutex_;  // Guards the members below.
  ProgressScreen screen_;
  absl::Time drawn_;
  bool visible_ = false;
};

// Writes to another writer and adds the number of bytes to a progress bar.
class ProgressWriter : public Writer {
 public:
  ProgressWriter(Writer& out, Progress& progress) : out_(out), progress_(progress) {}

  absl::Status Write(absl::string_view bytes) override { return Counted(out_.Write(bytes), bytes); }
  absl::Status WriteLasting(absl::string_view bytes) override { return Counted(out_.WriteLasting(bytes), bytes); }

 private:
  absl::Status Counted(const absl::Status& written, absl::string_view bytes) {
    progress_.Add(bytes.size());
    return written;
  }

  Writer& out_;
  Progress& progress_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_PROGRESS_PROGRESS_H_
