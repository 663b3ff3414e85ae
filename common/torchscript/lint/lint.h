// Finds what keeps any TorchScript file from working in a host.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

struct LintOptions {
  absl::Span<const HostRule> host_rules = {};    // The rules of the host that the file is for.
  const Runtime* runtime = nullptr;              // The runtime that must load the file; may be null.
  std::set<std::string> unknown_operators = {};  // Those that the module calls and LibTorch does not have.
};

struct LintResult {
  std::vector<Finding> findings;  // The findings in the order of the rules.
  std::string minimum_runtime;    // The oldest runtime that loads the file and computes the same; empty if none does.
};

// The findings about `module`, which was loaded from a file of this format. Findings that differ only in their modules,
// such as the blocks of a network, are merged into one.
//   FailedPrecondition   the code calls an operator that reaches beyond the process
//   Internal             LibTorch cannot read the module's code
//   ResourceExhausted    the code is too large to follow
absl::StatusOr<LintResult> Lint(const torch::jit::Module& module, const ArchiveFormat& format,
                                const LintOptions& options);

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

// Refuses a module whose code has a value of a type that is too large to print. LibTorch shares equal parts of nested
// tuple types, so such a type may have more parts than fit into memory when it is printed. A class counts as one part.
//   ResourceExhausted   "code/__torch__.py:12: a type has more than 1000 parts"
absl::Status CheckTypeSizes(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_LINT_H_
