#ifndef MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_
#define MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace modelport {

// Calls `run`, a whole program but for its streams and flags, and turns an exception into a status. What libraries
// throw is caught where they are called; here arrives memory that ran out, and what was overlooked.
//   ResourceExhausted  memory ran out
//   Internal           any other exception
absl::Status CatchExceptions(absl::FunctionRef<absl::Status()> run);

}  // namespace modelport

#endif  // MODELPORT_COMMON_STATUS_CATCH_EXCEPTIONS_H_
