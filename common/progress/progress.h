#ifndef MODELPORT_COMMON_PROGRESS_PROGRESS_H_
#define MODELPORT_COMMON_PROGRESS_PROGRESS_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "absl/time/time.h"

namespace modelport {

// The text of a progress line: step, bar, bytes, rate and time left.
std::string ProgressLine(const std::string& step, int64_t done, int64_t total, absl::Duration elapsed);

// A progress bar on stderr for one step of long work, while it lives. Where stderr is no terminal it prints nothing.
// Safe to use from several threads.
class Progress {
 public:
  // Expects `total` bytes.
  Progress(std::string step, int64_t total);

  // Erases the bar.
  ~Progress();

  // Another `bytes` are done.
  void Add(int64_t bytes);

 private:
  const bool on_terminal_;
  const std::string step_;
  const int64_t total_;
  const absl::Time start_;
  std::mutex mutex_;
  int64_t done_ = 0;
  absl::Time drawn_ = absl::InfinitePast();
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_PROGRESS_PROGRESS_H_
