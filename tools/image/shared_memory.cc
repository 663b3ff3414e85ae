#include "tools/image/shared_memory.h"

#include <sys/mman.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {

absl::StatusOr<SharedMemory> SharedMemory::Allocate(int64_t size) {
  void* const start =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  if (start == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("the system has no ", size >> 20, " MiB of memory for an image"));
  }
  return SharedMemory(absl::MakeSpan(static_cast<char*>(start), size));
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace modelport
