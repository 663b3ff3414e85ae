#ifndef MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
#define MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/io/writer.h"

namespace modelport {

// Passes bytes on to another writer and hashes them meanwhile, long runs of them on a second thread.
class HashingWriter : public Writer {
 public:
  explicit HashingWriter(Writer& out) : out_(out) {}

  absl::Status Write(absl::string_view bytes) override;

  int64_t size() const { return size_; }                         // Bytes so far.
  std::string HexDigest() const { return sha256_.HexDigest(); }  // Their SHA-256, 64 lower-case hex digits.

 private:
  Writer& out_;
  Sha256 sha256_;
  int64_t size_ = 0;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_HASHING_WRITER_H_
