#include "common/text/units.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace modelport {
namespace {

// `value` in the largest of `units` that gives at least 1. Each unit is 1000 times the one before.
template <size_t N>
std::string InUnits(double value, const char* const (&units)[N]) {
  size_t unit = 0;
  // 999.5 would print as 1000.
  while (value >= 999.5 && unit + 1 < N) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return absl::StrFormat("%.0f%s", value, units[0]);
  return absl::StrFormat("%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

}  // namespace

std::string FormatBytes(double bytes) { return InUnits(bytes, {" B", " kB", " MB", " GB", " TB"}); }

std::string FormatCount(double count) { return InUnits(count, {"", " k", " M", " B"}); }

std::string Counted(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string FormatSeconds(double seconds) {
  if (seconds < 9.995) return absl::StrFormat("%.2f s", seconds);
  const long rounded = std::lround(seconds);
  if (rounded < 60) return absl::StrCat(rounded, " s");
  return absl::StrCat(rounded / 60, " min ", rounded % 60, " s");
}

}  // namespace modelport
