#include "common/script/torch_status.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "absl/strings/ascii.h"

namespace modelport {

absl::Status StatusFromException(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return absl::ResourceExhaustedError("out of memory");
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string message = torch_error ? torch_error->what_without_backtrace() : error.what();
  // LibTorch has no type of its own for what its allocator throws.
  if (const size_t start = message.find("DefaultCPUAllocator: "); start != std::string::npos) {
    return absl::ResourceExhaustedError(message.substr(start, message.find('\n', start) - start));
  }
  return absl::InternalError(absl::StripAsciiWhitespace(message));
}

}  // namespace modelport
