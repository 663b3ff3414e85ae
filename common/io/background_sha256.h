#ifndef MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
#define MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "common/io/sha256_pair.h"

namespace modelport {

// A sha256 computed on a thread of its own, beside whatever the caller does with the same bytes meanwhile. A second run
// of bytes, all there from the start, is hashed in step with them, which costs little more.
class BackgroundSha256 {
 public:
  // `beside` must stay as it is as long as this object lives.
  explicit BackgroundSha256(absl::string_view beside) : beside_(beside), thread_([this] { Run(); }) {}
  ~BackgroundSha256();

  // Appends `bytes`, which must stay as they are as long as this object lives. Returns at once.
  void Append(absl::string_view bytes);

  // Appends a copy of `bytes`. Returns at once.
  void AppendCopy(absl::string_view bytes);

  // Wait for the digests, 64 lower-case hex digits, of everything appended, and of `beside`. To be called last.
  std::string HexDigest();
  std::string BesideHexDigest();

 private:
  struct Piece {
    std::string copy;
    absl::string_view bytes;  // Of the copy, if there is one.
  };

  void Push(Piece piece);
  void Run();
  void Hash(absl::string_view bytes);
  void WaitUntilIdle();

  Sha256Pair pair_;
  absl::string_view beside_;  // What is left of it.
  std::mutex mutex_;          // Of all below.
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  // To be hashed; the first one is in work. Elements stay where they are.
  bool done_ = false;
  std::thread thread_;  // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_BACKGROUND_SHA256_H_
