#include "common/status/catch_exceptions.h"

#include <exception>
#include <new>

#include "absl/strings/str_cat.h"

namespace modelport {

absl::Status CatchExceptions(absl::FunctionRef<absl::Status()> run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("a bug in Modelport, please report it: ", error.what()));
  }
}

}  // namespace modelport
