#ifndef MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_
#define MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace modelport {

// Calls `run`, which is all of a program except its streams and flags, and turns an exception into a status. The code
// that calls a library catches the library's exceptions, so only two kinds arrive here: memory that ran out, and
// exceptions that are a bug.
//   ResourceExhausted  memory ran out
//   Internal           any other exception
absl::Status CatchExceptions(absl::FunctionRef<absl::Status()> run);

}  // namespace modelport

#endif  // MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_
