#include "common/digest/background_digest.h"

#include <utility>

namespace modelport {
namespace {

// Hashing this many bytes takes milliseconds, so the destructor does not wait long.
constexpr size_t kBytesBetweenStops = 4 << 20;

// Copies that wait to be hashed take no more memory than this and the last of them.
constexpr size_t kMostCopied = 32 << 20;

}  // namespace

BackgroundDigest::~BackgroundDigest() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundDigest::Append(absl::string_view bytes) { Push({"", bytes}); }

void BackgroundDigest::AppendCopy(absl::string_view bytes) {
  std::string copy;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return copied_ <= kMostCopied; });
    copied_ += bytes.size();
    if (!spare_.empty()) {
      copy = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  copy.assign(bytes.data(), bytes.size());
  Push({std::move(copy), absl::string_view()});
}

void BackgroundDigest::Push(Piece piece) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_.push_back(std::move(piece));
    // The view is taken after the move, since moving a short string moves its bytes.
    if (!pieces_.back().copy.empty()) pieces_.back().bytes = pieces_.back().copy;
  }
  changed_.notify_all();
}

std::string BackgroundDigest::HexDigest() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return pieces_.empty(); });
  return sha256_.HexDigest();
}

void BackgroundDigest::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !pieces_.empty(); });
    if (stop_) return;
    const absl::string_view bytes = pieces_.front().bytes;
    lock.unlock();
    Hash(bytes);
    lock.lock();
    if (!pieces_.front().copy.empty()) {
      copied_ -= pieces_.front().copy.size();
      spare_.push_back(std::move(pieces_.front().copy));
    }
    pieces_.pop_front();
    changed_.notify_all();
  }
}

void BackgroundDigest::Hash(absl::string_view bytes) {
  while (!bytes.empty() && !stop_) {
    const absl::string_view part = bytes.substr(0, kBytesBetweenStops);
    sha256_.Update(part);
    bytes.remove_prefix(part.size());
  }
}

absl::Status HashingWriter::Write(absl::string_view bytes) {
  size_ += bytes.size();
  digest_.AppendCopy(bytes);
  return out_.Write(bytes);
}

absl::Status HashingWriter::WriteLasting(absl::string_view bytes) {
  size_ += bytes.size();
  digest_.Append(bytes);
  return out_.WriteLasting(bytes);
}

}  // namespace modelport
