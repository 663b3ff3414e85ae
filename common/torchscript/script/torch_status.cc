#include "common/torchscript/script/torch_status.h"

#include <c10/util/Exception.h>
#include <setjmp.h>
#include <signal.h>

#include <new>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace modelport {
namespace {

// Where this thread continues after a trap; null outside of CompletesDivisions.
thread_local sigjmp_buf* after_trap = nullptr;

struct sigaction action_before;

// A division traps synchronously: no lock of the heap or of the C library is held.
void LeaveDivision(int signal_number) {
  if (after_trap != nullptr) siglongjmp(*after_trap, 1);
  // The division is not in CompletesDivisions. It runs again and traps again, with the handler of before.
  sigaction(signal_number, &action_before, nullptr);
}

void InstallHandler() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = LeaveDivision;
    action.sa_flags = SA_NODEFER;  // The handler leaves by siglongjmp.
    return sigaction(SIGFPE, &action, &action_before) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace

absl::Status StatusFromException(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return absl::ResourceExhaustedError("out of memory");
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string message = torch_error ? torch_error->what_without_backtrace() : error.what();
  // LibTorch's allocator throws an exception of no special type, so the text must tell it.
  if (absl::StrContains(message, "can't allocate memory")) return absl::ResourceExhaustedError("out of memory");
  return absl::InternalError(absl::StripAsciiWhitespace(message));
}

bool CompletesDivisions(absl::FunctionRef<void()> function) {
  InstallHandler();
  sigjmp_buf here;
  const absl::Cleanup restore = [before = after_trap] { after_trap = before; };
  if (sigsetjmp(here, /*savemask=*/0) != 0) return false;
  after_trap = &here;
  function();
  return true;
}

absl::Status DivisionError() {
  return absl::InvalidArgumentError(
      "an integer division by zero, or one whose result does not fit 64 bits: -2^63 // -1");
}

}  // namespace modelport
