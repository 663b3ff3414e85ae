#ifndef MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
#define MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"

namespace modelport {

// Hashes bytes on a background thread.
class BackgroundDigest {
 public:
  BackgroundDigest() : thread_([this] { Run(); }) {}
  // Stops hashing if it still goes on.
  ~BackgroundDigest();

  // Appends `bytes`, which must stay as they are as long as this object lives. Returns at once.
  void Append(absl::string_view bytes);
  // Appends a copy of `bytes`. Returns at once.
  void AppendCopy(absl::string_view bytes);

  // Waits for the SHA-256 of all bytes, 64 lower-case hex digits.
  std::string HexDigest();

 private:
  struct Piece {
    std::string copy;
    absl::string_view bytes;  // Of the copy, if there is one.
  };

  void Push(Piece piece);
  void Run();
  void Hash(absl::string_view bytes);

  Sha256 sha256_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // Of all below.
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  // To be hashed; the first one is in work. Elements stay where they are.
  std::thread thread_;        // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
