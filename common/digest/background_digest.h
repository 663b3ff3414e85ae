#ifndef MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
#define MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_

#include <atomic>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"

namespace modelport {

// Hashes `bytes` on a background thread. They must stay as they are as long as this object lives.
class BackgroundDigest {
 public:
  explicit BackgroundDigest(absl::string_view bytes);
  // Stops hashing if it still goes on.
  ~BackgroundDigest();

  // Waits for the SHA-256 of all bytes, 64 lower-case hex digits.
  std::string HexDigest();

 private:
  void Run(absl::string_view bytes);

  Sha256 sha256_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;  // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
