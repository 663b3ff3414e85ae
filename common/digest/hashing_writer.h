#ifndef MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
#define MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/digest/background_digest.h"
#include "common/io/writer.h"

namespace modelport {

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

#endif  // MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
