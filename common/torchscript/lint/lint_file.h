#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/torchscript/lint/lint.h"

namespace modelport {

// Lints the TorchScript file `path`, which may be untrusted. Loading a file runs code in it, so a child process that
// can only compute (RunConfined) loads and lints it. Call this before the process starts threads. Messages begin with
// the path.
//   NotFound, PermissionDenied, Unavailable   as the system reports
//   InvalidArgument      another kind of file; the message says which
//   FailedPrecondition   its code calls operators that reach files or other processes, or it changed while it was read
//   DataLoss             truncated or damaged, or LibTorch cannot load it or crashes
//   ResourceExhausted    the file takes too much memory or time
//   Unimplemented        this system cannot confine a process, or the file is a zip archive of a rare kind
// The child process gets `least_time` of processor time and 100 ns for each byte of the file.
absl::StatusOr<LintResult> LintFile(const std::string& path, const LintOptions& options,
                                    absl::Duration least_time = absl::Seconds(20));

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_FILE_H_
