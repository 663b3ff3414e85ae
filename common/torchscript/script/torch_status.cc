#include "common/torchscript/script/torch_status.h"

#include <c10/util/Exception.h>
#include <setjmp.h>
#include <signal.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <cstdint>
#include <iostream>
#include <new>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// What a model prints is no part of what a program prints to stdout, which may be JSON.
[[maybe_unused]] const bool prints_to_stderr = [] {
  torch::jit::setPrintHandler([](const std::string& text) { std::cerr << text; });
  return true;
}();

// Where this thread continues after a trap; null outside of CompletesDivisions.
thread_local sigjmp_buf* after_trap = nullptr;

struct sigaction action_before;

// A division traps synchronously: no lock of the heap or of the C library is held.
void LeaveDivision(int signal_number) {
  if (after_trap != nullptr) siglongjmp(*after_trap, 1);
  // The division is not in CompletesDivisions. It runs again and traps again, with the handler of before.
  sigaction(signal_number, &action_before, nullptr);
}

// For LibTorch's "can't allocate memory: you tried to allocate 4000000000 bytes. Error code 12".
absl::Status OutOfMemory(absl::string_view message) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(message, "you tried to allocate ");
  int64_t bytes = 0;
  const absl::string_view number = parts.second.substr(0, parts.second.find_first_not_of("0123456789"));
  return absl::ResourceExhaustedError(
      absl::StrCat("out of memory",
                   absl::SimpleAtoi(number, &bytes) ? absl::StrCat(": one tensor wants ", FormatBytes(bytes)) : ""));
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
  if (absl::StrContains(message, "can't allocate memory")) return OutOfMemory(message);
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
