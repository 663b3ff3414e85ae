// What the fuzz targets share: checks that end the process, so that libFuzzer keeps the input.
#ifndef MODELPORT_TESTS_FUZZ_FUZZ_CHECK_H_
#define MODELPORT_TESTS_FUZZ_FUZZ_CHECK_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/text/printable.h"

namespace modelport {

// The input of a fuzz target as text.
inline absl::string_view FuzzText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process unless `condition` is true.
inline void FuzzCheck(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Ends the process unless `status` is OK or says that the input is at fault and not the program.
inline void FuzzCheckRefusal(const absl::Status& status) {
  if (status.ok()) return;
  const bool refused = absl::IsDataLoss(status) || absl::IsInvalidArgument(status) || absl::IsUnimplemented(status) ||
                       absl::IsResourceExhausted(status);
  if (!refused) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  FuzzCheck(refused, "an input is read or refused");
  FuzzCheck(!status.message().empty(), "an error has a message");
}

// The same for an error about a file, whose message must be printable.
inline void FuzzCheckFileError(const absl::Status& status) {
  FuzzCheckRefusal(status);
  const bool is_printable = PrintableLines(status.message()) == status.message();
  if (!is_printable) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  FuzzCheck(is_printable, "a message shows no character of the file that is not printable");
}

}  // namespace modelport

#endif  // MODELPORT_TESTS_FUZZ_FUZZ_CHECK_H_
