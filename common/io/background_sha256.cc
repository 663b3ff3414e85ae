#include "common/io/background_sha256.h"

#include <utility>

namespace modelport {

BackgroundSha256::~BackgroundSha256() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSha256::Append(absl::string_view bytes) { Push({"", bytes}); }

void BackgroundSha256::AppendCopy(absl::string_view bytes) { Push({std::string(bytes), absl::string_view()}); }

void BackgroundSha256::Push(Piece piece) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_.push_back(std::move(piece));
    // A short string lies within its object, and so moved with it.
    if (!pieces_.back().copy.empty()) pieces_.back().bytes = pieces_.back().copy;
  }
  changed_.notify_all();
}

std::string BackgroundSha256::HexDigest() {
  WaitUntilIdle();
  return pair_.FirstHexDigest();
}

std::string BackgroundSha256::BesideHexDigest() {
  WaitUntilIdle();
  pair_.Update("", beside_);
  beside_ = absl::string_view();
  return pair_.SecondHexDigest();
}

void BackgroundSha256::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return pieces_.empty(); });
}

void BackgroundSha256::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return done_ || !pieces_.empty(); });
    if (done_) return;
    const absl::string_view bytes = pieces_.front().bytes;
    lock.unlock();
    Hash(bytes);
    lock.lock();
    pieces_.pop_front();
    if (pieces_.empty()) changed_.notify_all();
  }
}

void BackgroundSha256::Hash(absl::string_view bytes) {
  const absl::string_view beside = beside_.substr(0, bytes.size());
  pair_.Update(bytes, beside);
  beside_.remove_prefix(beside.size());
}

}  // namespace modelport
