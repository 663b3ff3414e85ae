#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TORCH_STATUS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TORCH_STATUS_H_

#include <exception>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace modelport {

// The status for an exception of LibTorch, without its C++ stack trace: ResourceExhausted if memory ran out, else
// Internal.
absl::Status StatusFromException(const std::exception& error);

// Calls `function`. Returns false if the processor trapped at an integer division in it, on this thread: LibTorch does
// not check for n % 0, nor for -2^63 // -1, which no integer of 64 bits holds. `function` is then left without running
// the destructors of its objects.
bool CompletesDivisions(absl::FunctionRef<void()> function);

// The status for such a division.
absl::Status DivisionError();

// Calls `function`. Modelport calls all LibTorch code that may throw through this. Returns what `function` returns as a
// StatusOr, or a Status if it returns nothing.
//   InvalidArgument    an integer division that has no result
//   ResourceExhausted  memory ran out
//   Internal           whatever else LibTorch throws
template <typename F>
auto CatchTorch(F&& function) {
  using T = std::invoke_result_t<F>;
  using Result = std::conditional_t<std::is_void_v<T>, absl::Status,
                                    absl::StatusOr<std::conditional_t<std::is_void_v<T>, int, T>>>;
  try {
    if constexpr (std::is_void_v<T>) {
      return Result(CompletesDivisions([&] { std::forward<F>(function)(); }) ? absl::OkStatus() : DivisionError());
    } else {
      absl::optional<T> value;
      if (!CompletesDivisions([&] { value.emplace(std::forward<F>(function)()); })) return Result(DivisionError());
      return Result(*std::move(value));
    }
  } catch (const std::exception& error) {
    return Result(StatusFromException(error));
  }
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TORCH_STATUS_H_
