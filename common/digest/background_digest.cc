#include "common/digest/background_digest.h"

namespace modelport {
namespace {

// A small part of a second.
constexpr size_t kBytesBetweenStops = 4 << 20;

}  // namespace

BackgroundDigest::BackgroundDigest(absl::string_view bytes) : thread_([this, bytes] { Run(bytes); }) {}

BackgroundDigest::~BackgroundDigest() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string BackgroundDigest::HexDigest() {
  if (thread_.joinable()) thread_.join();
  return sha256_.HexDigest();
}

void BackgroundDigest::Run(absl::string_view bytes) {
  while (!bytes.empty() && !stop_) {
    const absl::string_view part = bytes.substr(0, kBytesBetweenStops);
    sha256_.Update(part);
    bytes.remove_prefix(part.size());
  }
}

}  // namespace modelport
