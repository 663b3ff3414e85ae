#ifndef MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
#define MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/io/writer.h"

namespace modelport {

// Passes bytes on to another writer and hashes them on a background thread. It copies those of Write, so that most
// bytes should come by WriteLasting.
class HashingWriter : public Writer {
 public:
  explicit HashingWriter(Writer& out) : out_(out), thread_([this] { Run(); }) {}
  ~HashingWriter() override;

  absl::Status Write(absl::string_view bytes) override;
  absl::Status WriteLasting(absl::string_view bytes) override;

  int64_t size() const { return size_; }  // Bytes so far.
  // Waits for their SHA-256, 64 lower-case hex digits.
  std::string HexDigest();

 private:
  struct Piece {
    std::string copy;
    absl::string_view bytes;  // Of the copy, if there is one.
  };

  void Push(Piece piece);
  void Run();

  Writer& out_;
  int64_t size_ = 0;
  Sha256 sha256_;
  std::mutex mutex_;  // Of all below.
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  // To be hashed; the first one is in work. Elements stay where they are.
  bool done_ = false;
  std::thread thread_;  // Last, so that it starts when the rest is there.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
