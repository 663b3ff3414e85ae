#include "common/digest/hashing_writer.h"

#include <future>

namespace modelport {
namespace {

// To start a thread takes as long as to hash some 50 KB.
constexpr size_t kWorthAThread = 256 << 10;

}  // namespace

absl::Status HashingWriter::Write(absl::string_view bytes) {
  size_ += bytes.size();
  const auto launch = bytes.size() >= kWorthAThread ? std::launch::async : std::launch::deferred;
  std::future<void> hashed = std::async(launch, [this, bytes] { sha256_.Update(bytes); });
  const absl::Status status = out_.Write(bytes);
  hashed.get();
  return status;
}

}  // namespace modelport
