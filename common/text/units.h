#ifndef MODELPORT_COMMON_TEXT_UNITS_H_
#define MODELPORT_COMMON_TEXT_UNITS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// "99.3 MB": decimal units, three digits.
std::string FormatBytes(double bytes);

// "24.8 M": thousands (k), millions (M), billions (B); three digits. Counts below 1000 have no unit.
std::string FormatCount(double count);

// "1 tensor", "3 tensors", for a noun with a regular plural.
std::string Counted(int64_t count, absl::string_view noun);

// "0.42 s", "12 s", "3 min 5 s".
std::string FormatSeconds(double seconds);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_UNITS_H_
