// Macros that pass a failed absl::Status up to the caller, spelled as in newer Abseil releases.
//
//   absl::Status Copy(const std::string& from, const std::string& to) {
//     ASSIGN_OR_RETURN(const std::string text, Read(from));
//     RETURN_IF_ERROR(Write(to, text));
//     return absl::OkStatus();
//   }
#ifndef MODELPORT_COMMON_STATUS_STATUS_MACROS_H_
#define MODELPORT_COMMON_STATUS_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Each use declares a variable with a unique name, so an argument may use variables of any name and may contain a
// lambda that uses the macros.
#define RETURN_IF_ERROR(expr) MODELPORT_RETURN_IF_ERROR_(MODELPORT_CONCAT_(modelport_status_, __COUNTER__), expr)

#define ASSIGN_OR_RETURN(lhs, expr) \
  MODELPORT_ASSIGN_OR_RETURN_(MODELPORT_CONCAT_(modelport_status_or_, __COUNTER__), lhs, expr)

#define MODELPORT_RETURN_IF_ERROR_(status, expr)      \
  do {                                                \
    if (absl::Status status = (expr); !status.ok()) { \
      return status;                                  \
    }                                                 \
  } while (false)
#define MODELPORT_ASSIGN_OR_RETURN_(value, lhs, expr) \
  auto value = (expr);                                \
  if (!value.ok()) return std::move(value).status();  \
  lhs = *std::move(value)
#define MODELPORT_CONCAT_(a, b) MODELPORT_CONCAT_INNER_(a, b)
#define MODELPORT_CONCAT_INNER_(a, b) a##b

#endif  // MODELPORT_COMMON_STATUS_STATUS_MACROS_H_
