#include "common/io/background_sha256.h"

namespace modelport {

BackgroundSha256::~BackgroundSha256() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSha256::Start(absl::string_view bytes) {
  Wait();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_ = bytes;
  }
  changed_.notify_all();
}

void BackgroundSha256::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return pending_.empty(); });
}

std::string BackgroundSha256::HexDigest() {
  Wait();
  return pair_.FirstHexDigest();
}

std::string BackgroundSha256::BesideHexDigest() {
  Wait();
  pair_.Update("", beside_);
  beside_ = absl::string_view();
  return pair_.SecondHexDigest();
}

void BackgroundSha256::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return done_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const absl::string_view bytes = pending_, beside = beside_.substr(0, bytes.size());
    lock.unlock();
    pair_.Update(bytes, beside);
    beside_.remove_prefix(beside.size());
    lock.lock();
    pending_ = absl::string_view();
    changed_.notify_all();
  }
}

}  // namespace modelport
