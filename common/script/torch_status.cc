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
  return absl::InternalError(absl::StripAsciiWhitespace(message));
}

}  // namespace modelport
