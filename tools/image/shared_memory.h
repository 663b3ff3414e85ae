#ifndef MODELPORT_TOOLS_IMAGE_SHARED_MEMORY_H_
#define MODELPORT_TOOLS_IMAGE_SHARED_MEMORY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace modelport {

// Memory that this process and its children share. The system provides a page when it is first written.
class SharedMemory {
 public:
  // ResourceExhausted if the system has no room for `size` bytes.
  static absl::StatusOr<SharedMemory> Allocate(int64_t size);

  SharedMemory(SharedMemory&& other) noexcept : bytes_(other.bytes_) { other.bytes_ = {}; }
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  absl::Span<char> bytes() const { return bytes_; }

 private:
  explicit SharedMemory(absl::Span<char> bytes) : bytes_(bytes) {}

  absl::Span<char> bytes_;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_SHARED_MEMORY_H_
