#ifndef MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
#define MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/io/writer.h"

namespace modelport {

// Hashes bytes on a background thread.
class BackgroundDigest {
 public:
  BackgroundDigest() : thread_([this] { Run(); }) {}
  // Stops hashing, even if bytes are left.
  ~BackgroundDigest();

  // Appends `bytes`, which must stay valid and unchanged as long as this object lives. Returns at once.
  void Append(absl::string_view bytes);
  // Appends a copy of `bytes`. Waits while too many copies, of about a megabyte, are left to be hashed. One thread at a
  // time appends.
  void AppendCopy(absl::string_view bytes);

  // Waits until all bytes are hashed. Returns their SHA-256 as 64 lower-case hex digits.
  std::string HexDigest();

 private:
  struct Piece {
    std::string copy;  // Of a buffer's capacity; empty if the bytes lie elsewhere.
    absl::string_view bytes;
  };

  // Makes filling_ a buffer that is empty. Waits for one.
  void TakeBuffer();
  // Gives what filling_ has to the thread.
  void PushFilling();
  void Push(Piece piece);
  void Run();
  void Hash(absl::string_view bytes);

  Sha256 sha256_;
  std::string filling_;  // The buffer for the next copies, of the thread that appends; without capacity: none is taken.
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  // The bytes left; the thread hashes the first piece. A deque does not move its elements.
  std::vector<std::string> spare_;  // The buffers whose copies were hashed: fresh memory costs the system's work.
  int buffers_ = 0;                 // How many were made.
  std::thread thread_;              // The last member, so that it starts after the others are initialised.
};

// Writes to another writer and hashes the bytes on a background thread. Write copies its bytes for that thread, so most
// bytes should come through WriteLasting.
class HashingWriter : public Writer {
 public:
  explicit HashingWriter(Writer& out) : out_(out) {}

  absl::Status Write(absl::string_view bytes) override;
  absl::Status WriteLasting(absl::string_view bytes) override;

  // The number of bytes so far.
  int64_t size() const { return size_; }

  // Waits until they are hashed. Returns their SHA-256 as 64 lower-case hex digits.
  std::string HexDigest() { return digest_.HexDigest(); }

 private:
  Writer& out_;
  int64_t size_ = 0;
  BackgroundDigest digest_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_BACKGROUND_DIGEST_H_
