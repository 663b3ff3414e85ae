#ifndef MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
#define MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/io/sha256_pair.h"

namespace modelport {

// A sha256 computed on a thread of its own, beside whatever the caller does with the same bytes meanwhile. A second run
// of bytes, all there from the start, is hashed in step with them, which costs little more.
//
//   BackgroundSha256 sha256(source);
//   sha256.Start(bytes);
//   ... write the bytes ...
//   sha256.Wait();  // Before the bytes change.
class BackgroundSha256 {
 public:
  // `beside` must stay as it is until BesideHexDigest is called.
  explicit BackgroundSha256(absl::string_view beside) : beside_(beside), thread_([this] { Run(); }) {}
  ~BackgroundSha256();

  // Waits for the previous run and begins to hash `bytes`.
  void Start(absl::string_view bytes);

  // Returns when everything given to Start is hashed.
  void Wait();

  // Digests of all bytes given to Start, and of `beside`. To be called once, at the end.
  std::string HexDigest();
  std::string BesideHexDigest();

 private:
  void Run();

  Sha256Pair pair_;
  absl::string_view beside_;  // What is left of it.
  std::mutex mutex_;
  std::condition_variable changed_;
  absl::string_view pending_;  // Being hashed, unless empty.
  bool done_ = false;
  std::thread thread_;  // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
