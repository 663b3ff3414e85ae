#include "common/digest/background_digest.h"

#include <utility>

namespace modelport {
namespace {

// Hashing this many bytes takes milliseconds, so the destructor does not wait long.
constexpr size_t kBytesBetweenStops = 4 << 20;

// Copies that wait to be hashed lie in buffers, so that many small ones take no more memory than few large ones.
constexpr size_t kBufferSize = 256 << 10;
constexpr int kMostBuffers = 3;

}  // namespace

BackgroundDigest::~BackgroundDigest() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundDigest::Append(absl::string_view bytes) {
  PushFilling();
  Push({"", bytes});
}

void BackgroundDigest::AppendCopy(absl::string_view bytes) {
  while (!bytes.empty()) {
    if (filling_.capacity() < kBufferSize) TakeBuffer();
    const absl::string_view part = bytes.substr(0, kBufferSize - filling_.size());
    filling_.append(part.data(), part.size());
    bytes.remove_prefix(part.size());
    if (filling_.size() == kBufferSize) PushFilling();
  }
}

void BackgroundDigest::TakeBuffer() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !spare_.empty() || buffers_ < kMostBuffers; });
  if (!spare_.empty()) {
    filling_ = std::move(spare_.back());
    spare_.pop_back();
    filling_.clear();
    return;
  }
  ++buffers_;
  lock.unlock();
  filling_.reserve(kBufferSize);
}

void BackgroundDigest::PushFilling() {
  if (filling_.empty()) return;
  Push({std::move(filling_), absl::string_view()});
  filling_ = std::string();
}

void BackgroundDigest::Push(Piece piece) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_.push_back(std::move(piece));
    if (!pieces_.back().copy.empty()) pieces_.back().bytes = pieces_.back().copy;
  }
  changed_.notify_all();
}

std::string BackgroundDigest::HexDigest() {
  PushFilling();
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
    if (!pieces_.front().copy.empty()) spare_.push_back(std::move(pieces_.front().copy));
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
