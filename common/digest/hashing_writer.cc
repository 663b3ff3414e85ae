#include "common/digest/hashing_writer.h"

#include <utility>

namespace modelport {

HashingWriter::~HashingWriter() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

absl::Status HashingWriter::Write(absl::string_view bytes) {
  Push({std::string(bytes), absl::string_view()});
  return out_.Write(bytes);
}

absl::Status HashingWriter::WriteLasting(absl::string_view bytes) {
  Push({"", bytes});
  return out_.WriteLasting(bytes);
}

void HashingWriter::Push(Piece piece) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_.push_back(std::move(piece));
    // A short string lies within its object, and so moved with it.
    if (!pieces_.back().copy.empty()) pieces_.back().bytes = pieces_.back().copy;
    size_ += pieces_.back().bytes.size();
  }
  changed_.notify_all();
}

std::string HashingWriter::HexDigest() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return pieces_.empty(); });
  return sha256_.HexDigest();
}

void HashingWriter::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return done_ || !pieces_.empty(); });
    if (done_) return;
    const absl::string_view bytes = pieces_.front().bytes;
    lock.unlock();
    sha256_.Update(bytes);
    lock.lock();
    pieces_.pop_front();
    if (pieces_.empty()) changed_.notify_all();
  }
}

}  // namespace modelport
