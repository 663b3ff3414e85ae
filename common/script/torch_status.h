#ifndef MODELPORT_COMMON_SCRIPT_TORCH_STATUS_H_
#define MODELPORT_COMMON_SCRIPT_TORCH_STATUS_H_

#include <exception>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace modelport {

// What a caught exception of LibTorch says, without its C++ stack trace. ResourceExhausted if memory ran out, else
// Internal.
absl::Status StatusFromException(const std::exception& error);

// Calls `function`, the only way in which Modelport calls LibTorch code that may throw. Returns what it returns as a
// StatusOr, or a Status if it returns nothing.
template <typename F>
auto CatchTorch(F&& function) {
  using T = std::invoke_result_t<F>;
  using Result = std::conditional_t<std::is_void_v<T>, absl::Status,
                                    absl::StatusOr<std::conditional_t<std::is_void_v<T>, int, T>>>;
  try {
    if constexpr (std::is_void_v<T>) {
      std::forward<F>(function)();
      return Result(absl::OkStatus());
    } else {
      return Result(std::forward<F>(function)());
    }
  } catch (const std::exception& error) {
    return Result(StatusFromException(error));
  }
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_SCRIPT_TORCH_STATUS_H_
