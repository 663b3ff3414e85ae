#ifndef MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
#define MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/io/sha256.h"

namespace modelport {

// A sha256 computed on a thread of its own, beside whatever the caller does with the same bytes meanwhile.
//
//   sha256.Start(bytes);
//   ... write the bytes ...
//   sha256.Wait();  // Before the bytes change.
class BackgroundSha256 {
 public:
  BackgroundSha256() : thread_([this] { Run(); }) {}
  ~BackgroundSha256();

  // Hashes `bytes` after all earlier ones. The previous run must have been waited for.
  void Start(absl::string_view bytes);

  // Returns when everything given to Start is hashed.
  void Wait();

  // Hex digest of all bytes; call once, at the end.
  std::string HexDigest();

 private:
  void Run();

  Sha256 sha256_;
  std::mutex mutex_;
  std::condition_variable changed_;
  absl::string_view pending_;  // Being hashed, unless empty.
  bool done_ = false;
  std::thread thread_;  // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
